// Draws map, layer and agents with WebGL2. Agents are uploaded once per tick; the motion between two ticks is computed on the
// graphics card, so that a frame costs the script a few calls.
import { palette, cellColor } from "./palette.js";

const MAP_VERTEX = `#version 300 es
in vec2 corner; uniform vec4 window; uniform vec2 size; out vec2 at;
void main() { at = window.xy + (corner * 0.5 + 0.5) * window.zw; gl_Position = vec4(corner.x, -corner.y, 0, 1); }`;

const MAP_FRAGMENT = `#version 300 es
precision highp float;
in vec2 at; uniform vec2 size; uniform float scale; uniform sampler2D map, layer; uniform vec3 outside; uniform float shade;
uniform bool layered;
out vec4 color;
void main() {
  if (at.x < 0. || at.y < 0. || at.x >= size.x || at.y >= size.y) { color = vec4(outside, 1); return; }
  ivec2 cell = ivec2(at);
  vec4 here = texelFetch(map, cell, 0);
  vec3 c = here.rgb;
  // The shadow of walls on the cell below makes rooms and corridors readable.
  if (here.a > 0.9 && cell.y > 0) {
    float above = texelFetch(map, cell - ivec2(0, 1), 0).a;
    if (above < 0.7 && fract(at.y) < 0.28) c *= shade;
  }
  if (scale > 14. && here.a > 0.9) {
    vec2 f = fract(at) * scale;
    if (f.x < 1. || f.y < 1.) c = mix(c, outside, 0.35);
  }
  if (layered) { vec4 over = texelFetch(layer, cell, 0); c = mix(c, over.rgb, over.a); }
  color = vec4(c, 1);
}`;

const AGENT_VERTEX = `#version 300 es
in vec2 corner; in vec4 track; in vec2 look;
uniform vec2 middle; uniform vec2 factor; uniform float progress, radius;
out vec2 local; flat out int state; flat out int marked; flat out float px;
uniform float scale;
void main() {
  vec2 at = mix(track.xy, track.zw, progress) + 0.5;
  gl_Position = vec4((at - middle + corner * radius) * factor, 0, 1);
  float turn = look.y * 0.7853981634;
  local = mat2(cos(turn), -sin(turn), sin(turn), cos(turn)) * corner;
  state = int(look.x) & 7; marked = int(look.x) >> 3; px = radius * scale;
}`;

const AGENT_FRAGMENT = `#version 300 es
precision mediump float;
in vec2 local; flat in int state; flat in int marked; flat in float px;
uniform vec3 states[6]; uniform vec3 ring;
out vec4 color;
void main() {
  vec2 p = local; float d;
  if (px < 3.) d = max(abs(p.x), abs(p.y)) - 0.8;
  else if (state == 1) {                       // moving: a drop that points ahead
    d = length(p - vec2(0, 0.12)) - 0.62;
    vec2 q = vec2(abs(p.x), p.y);
    float tip = max(dot(q - vec2(0, -0.98), normalize(vec2(1.15, -0.62))), q.y - 0.0);
    d = min(d, tip);
  } else if (state == 3) { vec2 q = abs(p) - 0.48; d = length(max(q, 0.)) + min(max(q.x, q.y), 0.) - 0.12; }
  else if (state == 4) d = (abs(p.x) + abs(p.y) - 0.95) * 0.7;
  else if (state == 5) d = max(abs(p.x), abs(p.y)) - 0.8;
  else d = length(p) - 0.64;
  float blur = 1. / px;
  float inside = smoothstep(blur, -blur, d);
  vec3 c = states[state];
  if (state == 2 && px > 4.) c = mix(c, ring, 0.75 * smoothstep(blur, -blur, max(abs(p.y), abs(abs(p.x) - 0.22) + 0.2) - 0.32));
  float edge = marked > 0 ? smoothstep(blur, -blur, d - 0.3) : 0.;
  float alpha = max(inside, edge);
  if (alpha < 0.02) discard;
  color = vec4(mix(ring, c, inside), alpha);
}`;

/** Draws with WebGL2. */
export class GlView {
  /** Returns a view, or null without WebGL2. @param {HTMLCanvasElement} canvas */
  static create(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: false, alpha: false, preserveDrawingBuffer: false });
    return gl ? new GlView(canvas, gl) : null;
  }

  /** @param {HTMLCanvasElement} canvas @param {WebGL2RenderingContext} gl */
  constructor(canvas, gl) {
    this.canvas = canvas;
    this.gl = gl;
    this.lost = false;
    canvas.addEventListener("webglcontextlost", (event) => { event.preventDefault(); this.lost = true; });
    canvas.addEventListener("webglcontextrestored", () => location.reload());
    this.mapProgram = link(gl, MAP_VERTEX, MAP_FRAGMENT);
    this.agentProgram = link(gl, AGENT_VERTEX, AGENT_FRAGMENT);
    this.corners = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.corners);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
    this.mapTexture = texture(gl);
    /** @type {WebGLTexture[]} */
    this.layerTextures = [];
    /** @type {{buffer: WebGLBuffer, array: WebGLVertexArrayObject, data: Float32Array<ArrayBuffer>, count: number}[]} */
    this.crowds = [];
    this.mapArray = gl.createVertexArray();
    gl.bindVertexArray(this.mapArray);
    corner(gl, this.mapProgram, this.corners);
    this.mapVersion = -1;
    this.version = -1;
    /** @type {string} */
    this.theme = "";
    /** @type {WeakMap<WebGLProgram, Map<string, WebGLUniformLocation | null>>} */
    this.uniforms = new WeakMap();
  }

  /** @param {WebGLProgram} program @param {string} name */
  at(program, name) {
    let known = this.uniforms.get(program);
    if (!known) this.uniforms.set(program, (known = new Map()));
    if (!known.has(name)) known.set(name, this.gl.getUniformLocation(program, name));
    return known.get(name) ?? null;
  }

  /**
   * @param {import("./model.js").Model} model
   * @param {import("./camera.js").Camera} camera
   * @param {number} progress
   * @param {(Uint8Array | null)[]} layers a colour per cell and side
   * @param {boolean} layersChanged
   */
  draw(model, camera, progress, layers, layersChanged) {
    if (this.lost) return;
    const gl = this.gl, colors = palette();
    const theme = document.documentElement.dataset.theme ?? "";
    if (this.mapVersion !== model.mapVersion || theme !== this.theme) this.uploadMap(model);
    else if (model.dirty.length) this.uploadCells(model);
    model.dirty.length = 0;
    this.theme = theme;
    if (layersChanged) this.uploadLayers(model, layers);
    if (this.version !== model.version || this.crowds.length !== model.sides.length) this.uploadAgents(model);
    const ratio = this.canvas.width / Math.max(this.canvas.clientWidth, 1);
    gl.disable(gl.SCISSOR_TEST);
    gl.clearColor(...mix(colors.outside), 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.SCISSOR_TEST);
    model.sides.forEach((_, side) => {
      const port = camera.ports[side];
      if (!port) return;
      const box = [port.x, camera.ports[0].height - port.y - port.height, port.width, port.height].map((v) => Math.round(v * ratio));
      gl.viewport(box[0], box[1], box[2], box[3]);
      gl.scissor(box[0], box[1], box[2], box[3]);
      this.drawMap(model, camera, port, colors, layers[side] ? this.layerTextures[side] : null);
      this.drawAgents(side, camera, port, progress, colors, ratio);
    });
  }

  /** @param {import("./model.js").Model} model @param {import("./camera.js").Camera} camera @param {import("./camera.js").Rect} port @param {import("./palette.js").Palette} colors @param {WebGLTexture | null} layer */
  drawMap(model, camera, port, colors, layer) {
    const gl = this.gl, program = this.mapProgram;
    gl.useProgram(program);
    gl.bindVertexArray(this.mapArray);
    gl.disable(gl.BLEND);
    const width = port.width / camera.scale, height = port.height / camera.scale;
    gl.uniform4f(this.at(program, "window"), camera.x - width / 2, camera.y - height / 2, width, height);
    gl.uniform2f(this.at(program, "size"), model.width, model.height);
    gl.uniform1f(this.at(program, "scale"), camera.scale);
    gl.uniform3f(this.at(program, "outside"), ...mix(colors.outside));
    gl.uniform1f(this.at(program, "shade"), 0.86);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.mapTexture);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, layer ?? this.mapTexture);
    gl.uniform1i(this.at(program, "map"), 0);
    gl.uniform1i(this.at(program, "layer"), 1);
    gl.uniform1i(this.at(program, "layered"), layer ? 1 : 0);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  /** @param {number} side @param {import("./camera.js").Camera} camera @param {import("./camera.js").Rect} port @param {number} progress @param {import("./palette.js").Palette} colors @param {number} ratio */
  drawAgents(side, camera, port, progress, colors, ratio) {
    const gl = this.gl, program = this.agentProgram, crowd = this.crowds[side];
    if (!crowd || crowd.count === 0) return;
    gl.useProgram(program);
    gl.bindVertexArray(crowd.array);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.uniform2f(this.at(program, "middle"), camera.x, camera.y);
    gl.uniform2f(this.at(program, "factor"), 2 * camera.scale / port.width, -2 * camera.scale / port.height);
    gl.uniform1f(this.at(program, "progress"), progress);
    gl.uniform1f(this.at(program, "scale"), camera.scale * ratio);
    gl.uniform1f(this.at(program, "radius"), Math.max(0.62, 1.7 / camera.scale));
    gl.uniform3fv(this.at(program, "states"), [...colors.states, colors.unit].flatMap(mix));
    gl.uniform3f(this.at(program, "ring"), ...mix(colors.selected));
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, crowd.count);
  }

  /** @param {import("./model.js").Model} model */
  uploadMap(model) {
    const gl = this.gl, colors = palette();
    const pixels = new Uint8Array(4 * model.map.length);
    for (let i = 0; i < model.map.length; i++) setPixel(pixels, 4 * i, colors, model.map[i]);
    gl.bindTexture(gl.TEXTURE_2D, this.mapTexture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, model.width, model.height, 0, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    this.mapVersion = model.mapVersion;
  }

  /** @param {import("./model.js").Model} model */
  uploadCells(model) {
    if (model.dirty.length > 20000) return this.uploadMap(model);
    const gl = this.gl, colors = palette();
    let [left, top, right, bottom] = [model.width, model.height, 0, 0];
    for (const cell of model.dirty) {
      const x = cell % model.width, y = Math.floor(cell / model.width);
      [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x + 1), Math.max(bottom, y + 1)];
    }
    const width = right - left, height = bottom - top;
    const pixels = new Uint8Array(4 * width * height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        setPixel(pixels, 4 * (y * width + x), colors, model.map[(top + y) * model.width + left + x]);
      }
    }
    gl.bindTexture(gl.TEXTURE_2D, this.mapTexture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, left, top, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  }

  /** @param {import("./model.js").Model} model @param {(Uint8Array | null)[]} layers */
  uploadLayers(model, layers) {
    const gl = this.gl;
    layers.forEach((pixels, side) => {
      if (!pixels) return;
      const target = (this.layerTextures[side] ??= texture(gl));
      gl.bindTexture(gl.TEXTURE_2D, target);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, model.width, model.height, 0, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    });
  }

  /** @param {import("./model.js").Model} model */
  uploadAgents(model) {
    const gl = this.gl;
    while (this.crowds.length < model.sides.length) this.crowds.push(this.newCrowd());
    this.crowds.length = model.sides.length;
    const w = model.width;
    model.sides.forEach((side, number) => {
      const crowd = this.crowds[number];
      const count = side.count + side.units.length;
      if (crowd.data.length < 6 * count) crowd.data = new Float32Array(6 * Math.ceil(count * 1.25));
      const data = crowd.data;
      for (let i = 0, at = 0; i < side.count; i++, at += 6) {
        const from = side.before[i], to = side.cells[i];
        data[at] = from % w;
        data[at + 1] = (from / w) | 0;
        data[at + 2] = to % w;
        data[at + 3] = (to / w) | 0;
        data[at + 4] = side.states[i] + (model.selected.has(side.rows[i]) ? 8 : 0);
        data[at + 5] = side.states[i] === 1 ? side.headings[i] : 0;
      }
      side.units.forEach((cell, i) => {
        const at = 6 * (side.count + i);
        data.set([cell % w, (cell / w) | 0, cell % w, (cell / w) | 0, 5, 0], at);
      });
      gl.bindBuffer(gl.ARRAY_BUFFER, crowd.buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW, 0, 6 * count);
      crowd.count = count;
    });
    this.version = model.version;
  }

  newCrowd() {
    const gl = this.gl, buffer = gl.createBuffer(), array = gl.createVertexArray();
    gl.bindVertexArray(array);
    corner(gl, this.agentProgram, this.corners);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    [["track", 4, 0], ["look", 2, 16]].forEach(([name, size, offset]) => {
      const at = gl.getAttribLocation(this.agentProgram, String(name));
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, Number(size), gl.FLOAT, false, 24, Number(offset));
      gl.vertexAttribDivisor(at, 1);
    });
    return { buffer, array, data: new Float32Array(0), count: 0 };
  }
}

/** @param {import("./palette.js").Rgb} color @returns {[number, number, number]} */
function mix([r, g, b]) {
  return [r / 255, g / 255, b / 255];
}

/** @param {Uint8Array} pixels @param {number} at @param {import("./palette.js").Palette} colors @param {number} value */
function setPixel(pixels, at, colors, value) {
  const [r, g, b] = cellColor(colors, value);
  // The alpha tells walls, and other cells that nobody enters, from free cells.
  const wall = value >= 5, solid = value >= 3;
  pixels[at] = r;
  pixels[at + 1] = g;
  pixels[at + 2] = b;
  pixels[at + 3] = wall ? 150 : solid ? 200 : 255;
}

/** @param {WebGL2RenderingContext} gl */
function texture(gl) {
  const made = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, made);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  return made;
}

/** @param {WebGL2RenderingContext} gl @param {WebGLProgram} program @param {WebGLBuffer} corners */
function corner(gl, program, corners) {
  const at = gl.getAttribLocation(program, "corner");
  gl.bindBuffer(gl.ARRAY_BUFFER, corners);
  gl.enableVertexAttribArray(at);
  gl.vertexAttribPointer(at, 2, gl.FLOAT, false, 0, 0);
}

/** @param {WebGL2RenderingContext} gl @param {string} vertex @param {string} fragment */
function link(gl, vertex, fragment) {
  const program = gl.createProgram();
  for (const [kind, source] of /** @type {[number, string][]} */ ([[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]])) {
    const shader = gl.createShader(kind);
    if (!shader) throw new Error("no shader");
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader) ?? "shader");
  }
  gl.linkProgram(program);
  return program;
}
