// The main picture: what the learner says over the plane or along the line, and the samples.

import { dot, mapping, paint, polyline, prepare, ticks } from './canvas.js';
import { classColor, css, diverging, mix, palette, sequential, table, valueColor } from './colors.js';
import { contour } from './contour.js';
import { $ } from './dom.js';
import { state } from './state.js';

export const view = { map: null, cursor: null, width: 0, height: 0 };

export function drawPlane(frame = null) {
  const canvas = $('#plane');
  const { context, width, height } = prepare(canvas);
  const map = mapping(state.window, width, height);
  Object.assign(view, { map, width, height });
  const picture = frame ?? state.answer;
  if (state.space === 'curve') drawCurve(context, map, picture);
  else if (picture?.surface) drawSurface(context, picture, width, height);
  drawAxes(context, map, width, height);
  if (!frame) drawNeighbors(context, map);
  drawPoints(context, map, frame);
  drawCursor(context, map);
}

function drawSurface(context, picture, width, height) {
  const { surface, surface_kind: kind } = picture;
  const [rows, columns] = surface.shape;
  paint(context, columns, rows, colorOf(surface, kind), [0, 0, width, height], { smooth: kind !== 'regions' });
  const levels = { margin: [[-1, [5, 4]], [0, []], [1, [5, 4]]], side: [[0, []]] }[kind] ?? [];
  for (const [level, dash] of levels) drawLevel(context, surface, columns, rows, level, dash, width, height);
}

function drawLevel(context, surface, columns, rows, level, dash, width, height) {
  context.beginPath();
  for (const [x1, y1, x2, y2] of contour(surface, columns, rows, level)) {
    context.moveTo((x1 / (columns - 1)) * width, height - (y1 / (rows - 1)) * height);
    context.lineTo((x2 / (columns - 1)) * width, height - (y2 / (rows - 1)) * height);
  }
  context.strokeStyle = palette().ink;
  context.globalAlpha = level === 0 ? 0.9 : 0.5;
  context.lineWidth = level === 0 ? 1.8 : 1.1;
  context.setLineDash(dash);
  context.stroke();
  context.setLineDash([]);
  context.globalAlpha = 1;
}

export function colorOf(surface, kind) {
  const { rgb, cardRgb } = palette();
  if (kind === 'regions') return (at) => mix(cardRgb, rgb[Math.round(surface[at]) % rgb.length], 0.3);
  if (kind === 'values') {
    const spread = spreadOf();
    return (at) => mix(sequential(0.5 + surface[at] / (2 * spread)), cardRgb, 0.15);
  }
  if (kind === 'density') {
    const most = surface.reduce((a, b) => Math.max(a, b), 1e-12);
    return (at) => mix(cardRgb, rgb[0], 0.85 * (surface[at] / most));
  }
  const size = Float32Array.from(surface, Math.abs).sort()[Math.floor(surface.length * 0.9)] || 1;
  return table(surface, (value) => diverging(0.75 * value / size), -1.4 * size, 1.4 * size);
}

export function spreadOf() {
  return state.points.reduce((most, point) => Math.max(most, Math.abs(point[2])), 0.1);
}

function drawCurve(context, map, picture) {
  const curve = picture?.curve;
  if (!curve) return;
  const count = curve.shape[1];
  const xs = [], middle = [], low = [], high = [];
  for (let at = 0; at < count; at++) {
    xs.push(map.x(curve[at]));
    middle.push(map.y(curve[count + at]));
    low.push(map.y(curve[count + at] - curve[2 * count + at]));
    high.push(map.y(curve[count + at] + curve[2 * count + at]));
  }
  context.beginPath();
  xs.forEach((x, at) => context[at ? 'lineTo' : 'moveTo'](x, high[at]));
  for (let at = count - 1; at >= 0; at--) context.lineTo(xs[at], low[at]);
  context.fillStyle = css(palette().rgb[0], 0.16);
  context.fill();
  polyline(context, xs, middle, palette().classes[0], 2.4);
}

function drawAxes(context, map, width, height) {
  const { card, ink } = palette();
  context.font = '11px system-ui, sans-serif';
  context.fillStyle = ink;
  context.strokeStyle = card;
  context.lineWidth = 3;
  context.lineJoin = 'round';
  const label = (value, x, y) => {
    context.strokeText(String(value), x, y);
    context.fillText(String(value), x, y);
  };
  context.textAlign = 'center';
  for (const value of ticks(state.window[0], state.window[1])) {
    const x = map.x(value);
    if (x > 14 && x < width - 14) label(value, x, height - 5);
  }
  context.textAlign = 'left';
  for (const value of ticks(state.window[2], state.window[3])) {
    const y = map.y(value);
    if (y > 12 && y < height - 20) label(value, 5, y + 4);
  }
}

function drawNeighbors(context, map) {
  const near = state.answer?.neighbors;
  const from = state.points[state.focus];
  if (!near || !from || state.answer.focus !== state.focus) return;
  for (const { row } of near) {
    const to = state.points[row];
    if (to) polyline(context, [map.x(from[0]), map.x(to[0])], [map.y(from[1]), map.y(to[1])], palette().ink, 1, [2, 3]);
  }
}

function drawPoints(context, map, frame) {
  const { card, ink, soft } = palette();
  const rim = state.task === 'values' && state.space === 'plane' ? soft : card; // the darkest or the brightest value is near the card
  const support = new Set(frame ? [] : [...(state.answer?.support ?? [])]);
  const clusters = frame ? null : state.answer?.clusters;
  const spread = spreadOf();
  state.points.forEach((point, at) => {
    const x = map.x(point[0]), y = map.y(point[1]);
    let color = soft;
    if (state.space === 'curve') color = ink;
    else if (state.task === 'values') color = valueColor(point[2], spread);
    else if (state.task === 'classes') color = classColor(point[2]);
    else if (clusters && clusters[at] !== undefined) color = classColor(clusters[at]);
    const radius = state.points.length > 250 ? 3.6 : 5;
    dot(context, x, y, radius, color, rim, 1.2);
    if (support.has(at)) dot(context, x, y, radius + 3, null, ink, 1.3);
    if (frame?.weights && frame.weights[at] > 0) dot(context, x, y, radius + 1 + 7 * frame.weights[at], null, ink, 1.3);
    if (at === state.focus) dot(context, x, y, radius + 6, null, palette().accent, 2.2);
  });
}

function drawCursor(context, map) {
  if (!view.cursor) return;
  const x = map.x(view.cursor[0]), y = map.y(view.cursor[1]);
  polyline(context, [x - 9, x + 9], [y, y], palette().accent, 2);
  polyline(context, [x, x], [y - 9, y + 9], palette().accent, 2);
}
