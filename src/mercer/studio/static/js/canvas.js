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

// An image of width × height cells, of which `color(at)` gives red, green and blue, drawn into a
// rectangle; the first row is at the bottom unless `down` is set.
export function paint(context, columns, rows, color, box, { smooth = true, down = false } = {}) {
  buffer.width = columns;
  buffer.height = rows;
  const inner = buffer.getContext('2d');
  const image = inner.createImageData(columns, rows);
  for (let row = 0; row < rows; row++) {
    const target = down ? row : rows - 1 - row;
    for (let column = 0; column < columns; column++) {
      const rgb = color(row * columns + column);
      const at = 4 * (target * columns + column);
      image.data[at] = rgb[0];
      image.data[at + 1] = rgb[1];
      image.data[at + 2] = rgb[2];
      image.data[at + 3] = rgb[3] ?? 255;
    }
  }
  inner.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = smooth;
  context.imageSmoothingQuality = 'high';
  context.drawImage(buffer, ...box);
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
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(Number(value.toPrecision(6)));
  return found;
}
