// Functions drawn from the Gaussian process: before and after the points are known.

import { dot, mapping, polyline, prepare } from '../canvas.js';
import { css, palette } from '../colors.js';
import { $ } from '../dom.js';
import { state } from '../state.js';

export function drawDraws(answer, which) {
  $('#draws').hidden = Boolean(answer.failed?.draws);
  const { context, width, height } = prepare($('#draws'));
  const { line, prior, posterior } = answer;
  if (!line) return;
  const after = which === 'posterior' && posterior;
  const rows = after ? split(posterior) : split(prior);
  const curves = after ? rows.slice(2) : rows;
  const all = curves.flat();
  let low = Math.min(...all), high = Math.max(...all);
  if (after) [low, high] = [Math.min(low, state.window[2]), Math.max(high, state.window[3])];
  const margin = 0.1 * (high - low) || 1;
  const map = mapping([line[0], line[line.length - 1], low - margin, high + margin], width, height);
  const xs = [...line].map(map.x);
  if (after) drawBand(context, xs, rows[0], rows[1], map);
  const { classes, ink } = palette();
  curves.forEach((curve, at) => polyline(context, xs, curve.map(map.y), classes[at % classes.length], 1.6));
  if (after) for (const [x, y] of state.points) dot(context, map.x(x), map.y(y), 3, ink, null);
  const where = state.space === 'plane' ? 'along the horizontal line through the middle' : 'five functions';
  $('#draws-facts').textContent = after ? 'given the points, with two standard deviations' : `before any point is seen, ${where}`;
}

function split(array) {
  const [count, length] = array.shape;
  return Array.from({ length: count }, (_, at) => [...array.subarray(at * length, (at + 1) * length)]);
}

function drawBand(context, xs, mean, deviation, map) {
  context.beginPath();
  xs.forEach((x, at) => context[at ? 'lineTo' : 'moveTo'](x, map.y(mean[at] + 2 * deviation[at])));
  for (let at = xs.length - 1; at >= 0; at--) context.lineTo(xs[at], map.y(mean[at] - 2 * deviation[at]));
  context.fillStyle = css(palette().rgb[0], 0.15);
  context.fill();
}
