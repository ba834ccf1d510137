// Points under the mouse, the finger and the keyboard: add, drag, erase, undo.

import { $, announce } from './dom.js';
import { drawPlane, view } from './plane.js';
import { emit, nameOf, state } from './state.js';

const NEAR = 13; // pixels
let tool = 'draw';
let held = null;
const past = [];

export function setTool(next) {
  tool = next;
}

export function remember() {
  past.push(state.points.map((point) => [...point]));
  if (past.length > 60) past.shift();
}

export function undo() {
  if (!past.length) return;
  state.points = past.pop();
  state.focus = null;
  emit('points');
}

export function clear() {
  remember();
  state.points = [];
  state.focus = null;
  emit('points');
}

export function watch() {
  const canvas = $('#plane');
  canvas.addEventListener('pointerdown', down);
  canvas.addEventListener('pointermove', move);
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('pointercancel', up);
  canvas.addEventListener('pointerleave', () => { if (held === null) point(null); });
  canvas.addEventListener('keydown', key);
  canvas.addEventListener('blur', () => { view.cursor = null; drawPlane(); });
}

function place(event) {
  const box = $('#plane').getBoundingClientRect();
  return [view.map.backX(event.clientX - box.left), view.map.backY(event.clientY - box.top)];
}

function nearest([x, y]) {
  let best = null, least = NEAR;
  state.points.forEach((point, at) => {
    const distance = Math.hypot(view.map.x(point[0]) - view.map.x(x), view.map.y(point[1]) - view.map.y(y));
    if (distance < least) [best, least] = [at, distance];
  });
  return best;
}

function down(event) {
  if (state.space === 'samples' || event.button !== 0) return;
  const at = place(event);
  const found = nearest(at);
  remember();
  if (tool === 'erase') return erase(found);
  held = found ?? addPoint(at);
  state.focus = held;
  $('#plane').setPointerCapture(event.pointerId);
  event.preventDefault();
  $('#plane').focus({ preventScroll: true });
}

function move(event) {
  if (state.space === 'samples') return;
  const at = place(event);
  if (held !== null) {
    state.points[held] = [...at, state.points[held][2]];
    emit('points');
    return;
  }
  const found = nearest(at);
  if (tool === 'erase' && event.buttons === 1) erase(found);
  else point(found);
  $('#plane').classList.toggle('over-point', found !== null);
}

function up() {
  held = null;
}

// The sample that is pointed at: its neighbors are shown, here and in the other pictures.
export function point(at) {
  if (state.focus === at) return;
  state.focus = at;
  emit('focus');
}

function addPoint([x, y]) {
  state.points.push([x, y, state.task === 'none' ? 0 : state.brush]);
  emit('points');
  return state.points.length - 1;
}

function erase(at) {
  if (at === null) return;
  state.points.splice(at, 1);
  state.focus = null;
  emit('points');
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

function key(event) {
  if (state.space === 'samples') return;
  const [left, right, bottom, top] = state.window;
  view.cursor ??= [(left + right) / 2, (bottom + top) / 2];
  const step = (event.shiftKey ? 0.08 : 0.02) * (right - left);
  const arrow = ARROWS[event.key];
  if (arrow) moveCursor(arrow, step, (top - bottom) / (right - left));
  else if (event.key === 'Enter' || event.key === ' ') { remember(); addPoint(view.cursor); say('Point added at', view.cursor); }
  else if (event.key === 'Delete' || event.key === 'Backspace') { remember(); erase(nearest(view.cursor)); }
  else if (event.key === 'g') grab();
  else if (event.key === 'z' && (event.ctrlKey || event.metaKey)) undo();
  else if (/^[1-4]$/.test(event.key)) emit('brush', Number(event.key) - 1);
  else return;
  event.preventDefault();
  drawPlane();
}

function moveCursor([dx, dy], step, aspect) {
  view.cursor = [view.cursor[0] + dx * step, view.cursor[1] + dy * step * aspect];
  if (held !== null) {
    state.points[held] = [...view.cursor, state.points[held][2]];
    emit('points');
  } else point(nearest(view.cursor));
}

// Take the point under the cursor, or put it down.
function grab() {
  if (held !== null) {
    held = null;
    announce('Point put down');
    return;
  }
  held = nearest(view.cursor);
  if (held !== null) { remember(); announce(`Holding ${nameOf(held)}; arrows move it, g puts it down`); }
}

function say(text, [x, y]) {
  announce(`${text} ${x.toFixed(2)}, ${y.toFixed(2)}`);
}
