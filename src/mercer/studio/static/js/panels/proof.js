// The proof as a tree that folds, or the points that refute the kernel.

import { $, fill, h } from '../dom.js';

const SIGNS = { strict: '✓', psd: '✓', cpd: '◐', unknown: '?', indefinite: '✗' };

export function drawProof(proof) {
  const badge = $('#status');
  badge.className = `badge ${proof.status}`;
  badge.textContent = `${SIGNS[proof.status]} ${proof.words}`;
  fill($('#proof'), proof.witness ? witness(proof.witness) : null, node(proof.tree, 0));
}

function node(tree, depth) {
  const title = h('span', {}, h('span', { class: `sign ${tree.status}`, textContent: SIGNS[tree.status], 'aria-hidden': 'true' }),
    h('code', { textContent: tree.claim }));
  const reason = h('p', { class: 'reason' }, `is ${tree.words} on ${tree.where}, `, h('em', { textContent: because(tree.rule) }));
  if (!tree.parts.length) return h('div', { class: 'proof-leaf' }, title, reason);
  return h('details', { open: depth < 2 }, h('summary', {}, title), reason,
    h('div', { class: 'parts' }, tree.parts.map((part) => node(part, depth + 1))));
}

function because(rule) {
  return rule.startsWith('no rule') ? rule : `by ${rule}`;
}

function witness(found) {
  const rows = found.points.map((point, at) => h('tr', {},
    h('td', { textContent: `x${at + 1}` }), h('td', { textContent: shown(point) }),
    h('td', { textContent: String(found.coefficients[at]) })));
  const table = h('table', { class: 'witness' },
    h('thead', {}, h('tr', {}, ['', 'point', 'coefficient c'].map((text) => h('th', { textContent: text })))),
    h('tbody', {}, rows));
  const matrix = found.matrix ? h('p', { class: 'reason' }, 'K = ', h('code', { textContent: JSON.stringify(found.matrix) })) : null;
  const value = h('p', { class: 'verdict' }, found.balanced ? 'Σc = 0 and ' : '', h('strong', { textContent: `cᵀKc = ${found.value.toPrecision(4)} < 0` }),
    ': a counterexample that you can check by hand.');
  return h('div', { class: 'refuted' }, value, table, matrix);
}

function shown(point) {
  const text = Array.isArray(point) ? `(${point.map((value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value)).join(', ')})` : String(point);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
