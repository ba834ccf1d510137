// A fit in the background: its progress, and a list of the models that were fitted.

import { connection } from '../connection.js';
import { $, announce, fill, h, toast } from '../dom.js';
import { chosenColumns, table } from './page.js';
import { showModel } from './results.js';

const models = [];

export function startFit() {
  $('#fit-form').addEventListener('submit', (event) => {
    event.preventDefault();
    run();
  });
  $('#fit-stop').addEventListener('click', () => connection.ask('stop'));
}

async function run() {
  const request = {
    target: table.target, columns: chosenColumns(), learner: $('#fit-learner').value,
    kernel: $('#fit-kernel').value.trim() || 'auto', quick: $('#fit-quick').checked,
  };
  busy(true);
  fill($('#found'));
  try {
    const answer = await connection.ask('fit', request, progress);
    models.push({ ...answer, request });
    drawModels(answer.number);
    showModel(models.at(-1));
    $('#stage').textContent = `Done in ${answer.seconds.toFixed(0)} s.`;
    announce(`The model is fitted: ${answer.score}`);
  } catch (error) {
    toast(error.message, 'bad');
    $('#stage').textContent = error.message;
  }
  busy(false);
}

function busy(is) {
  $('#fit-run').disabled = is;
  $('#fit-stop').hidden = !is;
  $('#progress').hidden = !is;
  if (is) progress({ stage: 'Starting', done: 0, total: 1, seconds: 0 });
}

function progress(now) {
  if (now.found) {
    $('#found').append(h('li', { textContent: now.found }));
    return;
  }
  const bar = $('#bar');
  if (now.total > 1) bar.value = now.done / now.total;
  else bar.removeAttribute('value');
  const steps = now.total > 1 ? ` ${now.done} of ${now.total}` : '';
  const left = now.left ? `, about ${Math.ceil(now.left)} s left` : '';
  $('#stage').textContent = `${now.stage}${steps}${left} (${now.seconds} s)`;
}

// All models beside each other: the score of each, and of the constant prediction.
function drawModels(current) {
  const rows = models.map((model) => {
    const { summary } = model;
    const pick = h('button', {
      type: 'button', class: 'link', textContent: `model ${model.number}`, on: { click: () => { drawModels(model.number); showModel(model); } },
    });
    return h('tr', { class: model.number === current ? 'current' : '' }, h('td', {}, pick), h('td', { textContent: summary.target }),
      h('td', {}, h('b', { textContent: model.score || '–' }), ` ${summary.score}`),
      h('td', { class: 'figure', textContent: format(summary.metric, summary.baseline) }), h('td', { textContent: summary.learner }),
      h('td', { class: 'about' }, h('code', { textContent: summary.kernel })));
  });
  const head = h('tr', {}, ['', 'target', 'on held-out samples', 'constant', 'learner', 'kernel'].map((text) => h('th', { textContent: text })));
  fill($('#models'), h('thead', {}, head), h('tbody', {}, rows));
  $('#models-card').hidden = false;
}

function format(metric, value) {
  if (value === null) return '';
  return ['accuracy', 'balanced', 'auc', 'f1', 'precision', 'recall'].includes(metric) ? `${(100 * value).toFixed(1)} %` : value.toPrecision(3);
}
