// Draws map, layer and agents with WebGL2. Agents are uploaded once per tick; the motion between two ticks is computed on the
// graphics card, so that a frame costs the script a few calls. Each agent has four vertices of its own: instanced drawing is several
// times slower where graphics are rendered in software.
import { palette, cellColor } from "./palette.js";

const MAP_VERTEX = `#version 300 es
in vec2 corner; uniform vec4 window; uniform vec2 size; out vec2 at;
void main() { at = window.xy + (corner * 0.5 + 0.5) * window.zw; gl_Position = vec4(corner.x, -corner.y, 0, 1); }`;

const MAP_FRAGMENT = `#version 300 es
precision highp float;
in vec2 at; uniform vec2 size; uniform float scale; uniform sampler2D map, layer; uniform vec3 outside; uniform float shade;
uniform bool layered, shaded;
out vec4 color;
void main() {
  if (at.x < 0. || at.y < 0. || at.x >= size.x || at.y >= size.y) { color = vec4(outside, 1); return; }
  ivec2 cell = ivec2(at);
  vec4 here = texelFetch(map, cell, 0);
  vec3 c = here.rgb;
  // The shadow of walls on the cell below makes rooms and corridors readable.
  if (shaded && here.a > 0.9 && cell.y > 0) {
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

// The unit of lengths in the shader of agents is the radius of a body. A selected agent has room for a ring.
const AGENT_VERTEX = `#version 300 es
in vec4 track; in vec2 look;
uniform vec2 middle; uniform vec2 factor; uniform float progress, body;
out vec2 local; flat out int state; flat out int marked; flat out float px;
uniform float scale;
void main() {
  state = int(look.x) & 7; marked = int(look.x) >> 3; px = body * scale;
  float reach = (marked > 0 ? 2.1 : 1.4) + 1.2 / px;
  vec2 corner = (vec2(gl_VertexID & 1, (gl_VertexID >> 1) & 1) * 2. - 1.) * reach;
  vec2 at = mix(track.xy, track.zw, progress) + 0.5;
  gl_Position = vec4((at - middle + corner * body) * factor, 0, 1);
  float turn = look.y * 0.7853981634;
  local = mat2(cos(turn), -sin(turn), sin(turn), cos(turn)) * corner;
}`;

const AGENT_FRAGMENT = `#version 300 es
precision mediump float;
in vec2 local; flat in int state; flat in int marked; flat in float px;
uniform vec3 states[6]; uniform vec3 ring, halo;
out vec4 color;
void main() {
  vec2 p = local, q = abs(p); float d;
  if (state == 1)                              // moving: an arrowhead
    d = max(dot(vec2(q.x, p.y + 1.4), vec2(0.932, -0.362)), dot(vec2(q.x, p.y - 0.6), vec2(-0.466, 0.885)));
  else if (state == 2) d = abs(length(p) - 0.74) - 0.3;
  else if (state == 3) d = max(q.x, q.y) - 0.84;
  else if (state == 4) d = (q.x + q.y - 1.4) * 0.707;
  else if (state == 5) d = max(q.x, q.y) - 1.1;
  else d = length(p) - 0.6;
  // From afar the edges are soft over half a pixel only, so that the smallest shapes stay shapes.
  float blur = 0.55 / px;
  float inside = smoothstep(blur, -blur, d), around = 0.7 * smoothstep(1.2 / px, 0., d);
  vec3 c = states[state];
  if (state == 5) c = mix(c, halo, smoothstep(blur, -blur, abs(max(q.x, q.y) - 0.6) - 0.14));
  float alpha = max(inside, around);
  c = mix(halo, c, inside);
  if (marked > 0) {
    float wide = max(0.24, 0.75 / px), far = abs(length(p) - 1.75);
    float line = smoothstep(blur, -blur, far - wide), glow = 0.85 * smoothstep(blur, -blur, far - wide - 0.7 / px);
    c = mix(c, mix(halo, ring, line), max(line, glow * (1. - inside)));
    alpha = max(alpha, max(line, glow));
  }
  if (alpha < 0.02) discard;
  color = vec4(c, alpha);
}`;

/** The radius of a body in cells, and the least one in pixels: below, direction and state could not be told. */
const BODY = 0.43, LEAST = 2.3;

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
    /** @type {{buffer: WebGLBuffer, array: WebGLVertexArrayObject, data: Uint16Array<ArrayBuffer>, count: number}[]} */
    this.crowds = [];
    /** Two triangles per agent. */
    this.triangles = gl.createBuffer();
    this.triangleCount = 0;
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
    gl.uniform1i(this.at(program, "shaded"), camera.scale > 2.5 ? 1 : 0);
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
    gl.uniform1f(this.at(program, "body"), bodyOf(camera.scale));
    gl.uniform3fv(this.at(program, "states"), [...colors.states, colors.unit].flatMap(mix));
    gl.uniform3f(this.at(program, "ring"), ...mix(colors.selected));
    gl.uniform3f(this.at(program, "halo"), ...mix(colors.edge));
    this.growTriangles(crowd.count);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.triangles);
    gl.drawElements(gl.TRIANGLES, 6 * crowd.count, gl.UNSIGNED_INT, 0);
  }

  /** Makes room for the triangles of a number of agents. @param {number} agents */
  growTriangles(agents) {
    if (this.triangleCount >= agents) return;
    this.triangleCount = Math.ceil(agents * 1.25);
    const indices = new Uint32Array(6 * this.triangleCount);
    for (let i = 0; i < this.triangleCount; i++) indices.set([0, 1, 2, 2, 1, 3].map((corner) => 4 * i + corner), 6 * i);
    this.gl.bindBuffer(this.gl.ELEMENT_ARRAY_BUFFER, this.triangles);
    this.gl.bufferData(this.gl.ELEMENT_ARRAY_BUFFER, indices, this.gl.STATIC_DRAW);
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
      if (crowd.data.length < VERTICES * count) crowd.data = new Uint16Array(VERTICES * Math.ceil(count * 1.25));
      const data = crowd.data;
      const put = (/** @type {number} */ i, /** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ state, /** @type {number} */ heading) => {
        const at = VERTICES * i;
        data[at] = from % w;
        data[at + 1] = (from / w) | 0;
        data[at + 2] = to % w;
        data[at + 3] = (to / w) | 0;
        data[at + 4] = state;
        data[at + 5] = heading;
        for (let corner = 6; corner < VERTICES; corner += 6) data.copyWithin(at + corner, at, at + 6);
      };
      for (let i = 0; i < side.count; i++) {
        const state = side.states[i], marked = model.selected.has(side.rows[i]) ? 8 : 0;
        put(i, side.before[i], side.cells[i], state + marked, state === 1 ? side.headings[i] : 0);
      }
      side.units.forEach((cell, i) => put(side.count + i, cell, cell, 5, 0));
      gl.bindBuffer(gl.ARRAY_BUFFER, crowd.buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW, 0, VERTICES * count);
      crowd.count = count;
    });
    this.version = model.version;
  }

  newCrowd() {
    const gl = this.gl, buffer = gl.createBuffer(), array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    [["track", 4, 0], ["look", 2, 8]].forEach(([name, size, offset]) => {
      const at = gl.getAttribLocation(this.agentProgram, String(name));
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, Number(size), gl.UNSIGNED_SHORT, false, 12, Number(offset));
    });
    return { buffer, array, data: new Uint16Array(0), count: 0 };
  }
}

/** Returns the radius of a body in cells. On a map of very many cells bodies are smaller, so that crowds are not lumps. @param {number} scale */
export function bodyOf(scale) {
  return Math.max(BODY, Math.min(LEAST, 1.5 + 0.25 * scale) / scale);
}

/** Numbers per agent: four vertices with the cells of a step, state and heading. */
const VERTICES = 24;

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
