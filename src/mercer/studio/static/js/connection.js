// The one connection of the page: requests go out with a number, answers come back with it.

import { unpack } from './wire.js';

class Connection {
  constructor() {
    this.waiting = new Map();
    this.next = 1;
    this.tab = null;
    this.onlost = () => {};
    this.opened = new Promise((resolve) => { this.resolve = resolve; });
  }

  open() {
    const address = new URL('connection', document.baseURI);
    address.protocol = 'ws:';
    this.socket = new WebSocket(address);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onmessage = (event) => this.receive(unpack(event.data));
    this.socket.onclose = (event) => this.lose(event.reason);
    return this.opened;
  }

  receive(message) {
    if (message.tab) {
      this.tab = message;
      this.resolve(message);
      return;
    }
    const entry = this.waiting.get(message.id);
    if (!entry) return;
    if (message.progress) {
      entry.progress(message.progress);
      return;
    }
    this.waiting.delete(message.id);
    if (message.error) entry.reject(new Error(message.error));
    else entry.resolve(message);
  }

  ask(action, request = {}, progress = () => {}) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, progress });
      this.socket.send(JSON.stringify({ ...request, id, do: action }));
    });
  }

  lose(reason) {
    for (const entry of this.waiting.values()) entry.reject(new Error('the studio was closed'));
    this.waiting.clear();
    this.onlost(reason);
  }
}

export const connection = new Connection();

// Asks again and again for what changes quickly: while one answer is on its way, only the newest
// request waits.
export class Latest {
  constructor(make, show, fail) {
    Object.assign(this, { make, show, fail, busy: false, again: false });
  }

  async request() {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    document.body.dataset.busy = 'true';
    try {
      const [action, request] = this.make();
      const started = performance.now();
      const answer = await connection.ask(action, request);
      answer.roundtrip = performance.now() - started;
      this.show(answer);
    } catch (error) {
      this.fail(error);
    }
    this.busy = false;
    if (this.again) {
      this.again = false;
      this.request();
    } else document.body.dataset.busy = 'false';
  }
}
