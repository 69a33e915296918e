// The connection to the server: JSON both ways, frames from the server. It is opened again when it is lost.

/**
 * @typedef {object} Handlers
 * @property {(message: any) => void} text
 * @property {(bytes: ArrayBuffer) => void} binary
 * @property {(online: boolean) => void} online
 */

/** The connection of this page. */
export class Connection {
  /** @param {Handlers} handlers */
  constructor(handlers) {
    this.handlers = handlers;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.wait = 250;
    this.received = 0;
    this.open();
  }

  open() {
    const token = new URLSearchParams(location.search).get("token");
    const query = token ? `?token=${encodeURIComponent(token)}` : "";
    const socket = new WebSocket(`ws://${location.host}/socket${query}`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.wait = 250;
      this.handlers.online(true);
    };
    socket.onmessage = ({ data }) => {
      this.received += typeof data === "string" ? data.length : data.byteLength;
      if (typeof data === "string") this.handlers.text(JSON.parse(data));
      else this.handlers.binary(data);
    };
    socket.onclose = () => {
      this.handlers.online(false);
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(this.wait * 2, 5000);
    };
    this.socket = socket;
  }

  /**
   * Asks the server for something.
   * @param {string} what
   * @param {Record<string, unknown>} [details]
   */
  ask(what, details = {}) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ do: what, ...details }));
  }

  /**
   * Sends a file.
   * @param {ArrayBuffer} bytes
   */
  upload(bytes) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(bytes);
  }
}
