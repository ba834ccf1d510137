// A fitted model: what its columns are worth, where it errs, and a form to ask it.

import { dot, mapping, polyline, prepare } from '../canvas.js';
import { connection } from '../connection.js';
import { palette } from '../colors.js';
import { $, fill, h, svg } from '../dom.js';
import { on } from '../state.js';
import { startForm } from './form.js';

let current = null;

export function showModel(model) {
  current = model;
  $('#results').hidden = false;
  const { tab } = connection.tab;
  $('#open-report').href = new URL(`report/${tab}/${model.number}`, document.baseURI);
  $('#save-report').href = $('#open-report').href;
  $('#save-report').download = `mercer-report-${model.number}.html`;
  $('#save-model').href = new URL(`model/${tab}/${model.number}`, document.baseURI);
  fill($('#result-notes'), model.summary.notes.slice(0, 5).map((note) => h('li', { textContent: note })));
  drawImportance(model.summary);
  drawErrors(model);
  drawHardest(model);
  startForm(model);
}

on('redraw', () => { if (current) drawErrors(current); });

function drawImportance(summary) {
  const shown = summary.contributions.slice(0, 12);
  const most = Math.max(...shown.map(([, drop]) => Math.abs(drop)), 1e-12);
  const rows = shown.map(([name, drop, error]) => h('tr', {}, h('td', { class: 'name', textContent: name }),
    h('td', { class: 'bar-cell' }, bar(drop / most, drop < 0)), h('td', { class: 'figure', textContent: `${drop.toPrecision(2)} ± ${error.toPrecision(1)}` })));
  fill($('#importance'), rows.length ? h('tbody', {}, rows) : h('caption', { class: 'soft', textContent: 'Not computed for this fit.' }));
}

export function bar(share, negative) {
  const width = Math.min(100, Math.abs(share) * 100);
  return svg('svg', { viewBox: '0 0 100 10', preserveAspectRatio: 'none', class: `bar ${negative ? 'negative' : ''}`, 'aria-hidden': 'true' },
    svg('rect', { x: 0, y: 1, width, height: 8, rx: 1 }));
}

function drawErrors(model) {
  $('#confusion').hidden = !model.confusion;
  $('#pairs').hidden = !model.pairs;
  if (model.confusion) drawConfusion(model);
  if (model.pairs) drawPairs(model);
}

function drawConfusion({ confusion, classes }) {
  const count = classes.length;
  const total = (row) => confusion.subarray(row * count, (row + 1) * count).reduce((a, b) => a + b, 0) || 1;
  const head = h('tr', {}, h('th', { textContent: 'true ↓ predicted →' }), classes.map((name) => h('th', { textContent: name })));
  const rows = classes.map((name, row) => h('tr', {}, h('th', { textContent: name }), classes.map((_, column) => {
    const value = confusion[row * count + column];
    const pick = h('button', {
      type: 'button', class: 'cell', 'aria-label': `${value} samples of ${name} predicted as ${classes[column]}: list those predicted worst`,
      on: { click: () => drawHardest(current, name, classes[column]) },
    }, h('b', { textContent: String(value) }), ` ${(100 * value / total(row)).toFixed(0)} %`);
    const cell = h('td', { class: row === column ? 'right' : 'wrong' }, pick);
    cell.style.setProperty('--share', String(value / total(row)));
    return cell;
  })));
  fill($('#confusion'), h('thead', {}, head), h('tbody', {}, rows));
}

function drawPairs({ pairs }) {
  const { context, width, height } = prepare($('#pairs'));
  const low = Math.min(...pairs), high = Math.max(...pairs);
  const margin = 0.05 * (high - low);
  const map = mapping([low - margin, high + margin, low - margin, high + margin], width, height);
  polyline(context, [map.x(low), map.x(high)], [map.y(low), map.y(high)], palette().soft, 1, [4, 4]);
  context.globalAlpha = 0.6;
  for (let at = 0; at < pairs.length; at += 2) dot(context, map.x(pairs[at + 1]), map.y(pairs[at]), 3, palette().classes[0], null);
  context.globalAlpha = 1;
  context.fillStyle = palette().soft;
  context.font = '12px system-ui, sans-serif';
  context.fillText('predicted →', width - 78, height - 6);
  context.fillText('↑ true', 6, 14);
}

// The samples predicted worst; of one cell of the confusion matrix where it was chosen.
function drawHardest({ hardest = [], summary }, truth = null, predicted = null) {
  const chosen = truth === null ? hardest.slice(0, 8) : hardest.filter((each) => each.truth === truth && each.predicted === predicted);
  const items = chosen.map((sample) => h('details', {},
    h('summary', {}, `row ${sample.row + 1}: ${summary.target} is `, h('b', { textContent: text(sample.truth) }), ', predicted ', h('b', { textContent: text(sample.predicted) })),
    h('dl', {}, Object.entries(sample.cells).slice(0, 24).map(([name, value]) => [h('dt', { textContent: name }), h('dd', { textContent: text(value) })]).flat())));
  const none = truth === null ? 'The error was not estimated.' : 'None of them is among the samples predicted worst.';
  $('#hardest-title').textContent = truth === null ? 'Predicted worst' : `Predicted worst: ${truth} as ${predicted}`;
  fill($('#hardest'), items.length ? items : h('p', { class: 'soft', textContent: none }));
}

function text(value) {
  if (value === null) return 'missing';
  return typeof value === 'number' ? String(Number(value.toPrecision(4))) : String(value);
}
