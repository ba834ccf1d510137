// A frame of the server: the length of the head, the head as JSON, and float32 arrays behind it.

const decoder = new TextDecoder();

export function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const message = JSON.parse(decoder.decode(new Uint8Array(buffer, 4, length)));
  for (const [name, place] of Object.entries(message.arrays)) {
    const count = place.shape.reduce((product, size) => product * size, 1);
    message[name] = new Float32Array(buffer, 4 + length + place.at, count);
    message[name].shape = place.shape;
  }
  return message;
}
