// Lines of equal value of a grid, by marching squares.

// Segments [x1, y1, x2, y2] in cells of the grid.
export function contour(values, width, height, level) {
  const segments = [];
  for (let row = 0; row + 1 < height; row++) {
    for (let column = 0; column + 1 < width; column++) {
      const at = row * width + column;
      const corners = [values[at], values[at + 1], values[at + width + 1], values[at + width]];
      const crossings = edges(corners, level, column, row);
      for (let k = 0; k + 1 < crossings.length; k += 2) segments.push([...crossings[k], ...crossings[k + 1]]);
    }
  }
  return segments;
}

function edges([a, b, c, d], level, x, y) {
  const points = [];
  const cross = (p, q, px, py, qx, qy) => {
    if ((p < level) === (q < level)) return;
    const share = (level - p) / (q - p);
    points.push([px + (qx - px) * share, py + (qy - py) * share]);
  };
  cross(a, b, x, y, x + 1, y);
  cross(b, c, x + 1, y, x + 1, y + 1);
  cross(c, d, x + 1, y + 1, x, y + 1);
  cross(d, a, x, y + 1, x, y);
  return points;
}
