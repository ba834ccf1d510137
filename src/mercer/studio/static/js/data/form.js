// Ask the model: a field for each column, the prediction, and what it owes to each column.

import { connection } from '../connection.js';
import { $, announce, fill, h, toast } from '../dom.js';
import { bar } from './results.js';

let fields = [];

export async function startForm(model) {
  fill($('#answer'));
  try {
    const form = await connection.ask('form', { model: model.number });
    fields = form.fields;
    $('#ask-card').hidden = false;
    fill($('#fields'), fields.map(field));
    $('#ask-form').onsubmit = (event) => {
      event.preventDefault();
      predict(model).catch((error) => toast(error.message, 'bad'));
    };
    await predict(model);
  } catch {
    $('#ask-card').hidden = true; // samples without columns have no form
  }
}

function field(column, at) {
  const id = `column-${at}`;
  const label = h('label', { for: id, textContent: column.name });
  if (column.kind === 'number') {
    return h('div', {}, label, h('input', { id, type: 'number', step: 'any', value: Number(column.middle.toPrecision(4)), title: `${column.low} to ${column.high}` }));
  }
  const values = column.values ?? [];
  if (column.distinct > values.length) return h('div', {}, label, h('input', { id, type: 'text', value: values[0] ?? '' }));
  return h('div', {}, label, h('select', { id }, values.map((value) => h('option', { value, textContent: value })), h('option', { value: '', textContent: '(missing)' })));
}

async function predict(model) {
  const row = Object.fromEntries(fields.map((column, at) => [column.name, $(`#column-${at}`).value]));
  const answer = await connection.ask('predict', { model: model.number, row });
  const head = h('p', { class: 'prediction' }, `${answer.target}: `, h('b', { textContent: shown(answer.predicted) }));
  const interval = answer.interval ? h('p', { class: 'soft', textContent: `90 % interval: ${shown(answer.interval[0])} to ${shown(answer.interval[1])}` }) : null;
  const chances = (answer.classes ?? []).map((name, at) => [name, answer.probabilities[at]]).sort((a, b) => b[1] - a[1]).slice(0, 6)
    .map(([name, chance]) => h('tr', {}, h('td', { class: 'name', textContent: name }), h('td', { class: 'bar-cell' }, bar(chance)), h('td', { class: 'figure', textContent: `${(100 * chance).toFixed(1)} %` })));
  const effects = answer.effects.slice(0, 10);
  const most = Math.max(...effects.map((each) => Math.abs(each.effect)), 1e-12);
  const rows = effects.map(({ column, effect }) => h('tr', {}, h('td', { class: 'name', textContent: column }),
    h('td', { class: 'bar-cell' }, bar(effect / most, effect < 0)), h('td', { class: 'figure', textContent: `${effect < 0 ? '−' : '+'}${shown(Math.abs(effect))}` })));
  fill($('#answer'), head, interval, chances.length ? h('table', {}, h('tbody', {}, chances)) : null,
    h('h4', { textContent: 'Why' }),
    h('p', { class: 'soft', textContent: `How the ${answer.outcome} would change on average with the values of other rows in a column: + speaks for it.` }),
    h('table', {}, h('tbody', {}, rows)));
  announce(`${answer.target}: ${answer.predicted}`);
}

function shown(value) {
  return typeof value === 'number' ? String(Number(value.toPrecision(3))) : String(value);
}
