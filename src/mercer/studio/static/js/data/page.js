// The side for the person with data: a file, a target, a fit, its errors, and predictions.

import { connection } from '../connection.js';
import { $, fill, h, toast } from '../dom.js';
import { loadPoints } from '../lessons.js';
import { startFit } from './fit.js';

export const table = { columns: [], target: null, used: new Set(), file: '', kind: '' };
let switchTo = () => {};

export function startData(hello, show) {
  switchTo = show;
  const input = $('#file');
  input.addEventListener('change', () => { if (input.files[0]) send(input.files[0], hello); });
  const zone = $('#drop-file');
  zone.addEventListener('dragover', (event) => { event.preventDefault(); zone.classList.add('over'); });
  zone.addEventListener('dragleave', () => zone.classList.remove('over'));
  zone.addEventListener('drop', (event) => {
    event.preventDefault();
    zone.classList.remove('over');
    if (event.dataTransfer.files[0]) send(event.dataTransfer.files[0], hello);
  });
  startFit();
  if (hello.file) describe(hello.file);
}

async function send(file, hello) {
  if (file.size > hello.upload) {
    toast(`The file has ${Math.round(file.size / 1e6)} MB; the largest is ${Math.round(hello.upload / 1e6)} MB.`, 'bad');
    return;
  }
  const address = new URL(`upload/${hello.tab}?name=${encodeURIComponent(file.name)}`, document.baseURI);
  const response = await fetch(address, { method: 'POST', body: file });
  if (!response.ok) {
    toast(await response.text(), 'bad');
    return;
  }
  await describe(file.name);
}

async function describe(name) {
  $('#file-name').textContent = `reading ${name} …`;
  try {
    const answer = await connection.ask('columns');
    Object.assign(table, { columns: answer.columns, kind: answer.kind, file: name, target: answer.target, used: new Set() });
    $('#file-name').textContent = `${name}: ${answer.description}`;
    draw(answer);
  } catch (error) {
    $('#file-name').textContent = '';
    toast(error.message, 'bad');
  }
}

function draw(answer) {
  fill($('#file-notes'), answer.notes.slice(0, 4).map((note) => h('li', { textContent: note })));
  $('#fit-card').hidden = false;
  $('#columns-card').hidden = answer.kind !== 'table';
  $('#target-row').hidden = answer.kind !== 'table';
  if (answer.kind !== 'table') return;
  const target = $('#target');
  fill(target, answer.columns.map((column) => h('option', { value: column.name, textContent: column.name, selected: column.name === answer.target })));
  target.onchange = () => { table.target = target.value; drawColumns(); };
  drawColumns();
  drawPreview(answer);
  drawPlayground(answer.columns);
}

function drawColumns() {
  const rows = table.columns.filter((column) => column.name !== table.target).map((column) => {
    const box = h('input', {
      type: 'checkbox', checked: !table.used.has(column.name), 'aria-label': `learn from ${column.name}`,
      on: { change: () => { if (box.checked) table.used.delete(column.name); else table.used.add(column.name); } },
    });
    const about = column.kind === 'number' ? `${short(column.low)} to ${short(column.high)}` : (column.values ?? []).slice(0, 4).join(', ');
    return h('tr', {}, h('td', {}, box), h('td', { class: 'name', textContent: column.name }), h('td', { textContent: column.kind }),
      h('td', { class: 'figure', textContent: column.missing ? `${column.missing} missing` : '' }), h('td', { class: 'about', textContent: about }));
  });
  fill($('#columns'), h('tbody', {}, rows));
}

function drawPreview(answer) {
  const head = h('tr', {}, answer.columns.map((column) => h('th', { textContent: column.name })));
  const rows = answer.rows.map((row) => h('tr', {}, row.map((cell) => h('td', { textContent: cell }))));
  fill($('#preview'), h('thead', {}, head), h('tbody', {}, rows));
}

// Two columns of the table as points of the playground.
function drawPlayground(columns) {
  const numbers = columns.filter((column) => column.kind === 'number').map((column) => column.name);
  $('#to-play').hidden = numbers.length < 2;
  fill($('#across'), numbers.map((name) => h('option', { value: name, textContent: name })));
  fill($('#along'), numbers.map((name, at) => h('option', { value: name, textContent: name, selected: at === 1 })));
  $('#to-play-run').onclick = async () => {
    try {
      const request = { across: $('#across').value, along: $('#along').value, target: table.target };
      const answer = await connection.ask('points', request);
      loadPoints(answer, `${request.across} and ${request.along} of ${table.file}, standardized; the target is ${table.target}.`);
      switchTo('play');
    } catch (error) {
      toast(error.message, 'bad');
    }
  };
}

export function short(value) {
  return Number(Number(value).toPrecision(4)).toString();
}

export function chosenColumns() {
  const others = table.columns.map((column) => column.name).filter((name) => name !== table.target);
  return table.used.size ? others.filter((name) => !table.used.has(name)) : [];
}
