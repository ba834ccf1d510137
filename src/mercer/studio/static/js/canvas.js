// A canvas that is as sharp as the screen, and the way from samples to its pixels.

export function prepare(canvas) {
  const scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth || 300;
  const height = canvas.clientHeight || 300;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const context = canvas.getContext('2d');
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

export function mapping([left, right, bottom, top], width, height) {
  return {
    x: (value) => ((value - left) / (right - left)) * width,
    y: (value) => height - ((value - bottom) / (top - bottom)) * height,
    backX: (pixel) => left + (pixel / width) * (right - left),
    backY: (pixel) => bottom + ((height - pixel) / height) * (top - bottom),
  };
}

const buffer = document.createElement('canvas');

// An image of columns × rows cells, drawn into a rectangle; the first row is at the bottom unless
// `down` is set. Colors are a function from a cell to red, green and blue, or a table of values.
export function paint(context, columns, rows, color, box, { smooth = true, down = false } = {}) {
  buffer.width = columns;
  buffer.height = rows;
  const inner = buffer.getContext('2d');
  const image = inner.createImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  for (let row = 0; row < rows; row++) {
    const target = (down ? row : rows - 1 - row) * columns;
    if (color.colors) fillRow(pixels, target, row * columns, columns, color);
    else for (let column = 0; column < columns; column++) pixels[target + column] = packed(color(row * columns + column));
  }
  inner.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = smooth;
  context.imageSmoothingQuality = 'high';
  context.drawImage(buffer, ...box);
}

function fillRow(pixels, target, source, count, { values, colors, low, high }) {
  const step = 255 / (high - low);
  for (let column = 0; column < count; column++) {
    const place = (values[source + column] - low) * step;
    pixels[target + column] = colors[place < 0 ? 0 : place > 255 ? 255 : place | 0];
  }
}

export function packed([red, green, blue]) {
  return (255 << 24) | (blue << 16) | (green << 8) | red;
}

export function dot(context, x, y, radius, fill, stroke, width = 1) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  if (fill) {
    context.fillStyle = fill;
    context.fill();
  }
  if (stroke) {
    context.lineWidth = width;
    context.strokeStyle = stroke;
    context.stroke();
  }
}

export function polyline(context, xs, ys, color, width = 1.5, dash = []) {
  context.beginPath();
  for (let at = 0; at < xs.length; at++) context[at ? 'lineTo' : 'moveTo'](xs[at], ys[at]);
  context.strokeStyle = color;
  context.lineWidth = width;
  context.setLineDash(dash);
  context.stroke();
  context.setLineDash([]);
}

// Round numbers along an axis.
export function ticks(low, high, most = 5) {
  const raw = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= raw);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(Number(value.toPrecision(6)));
  return found;
}
