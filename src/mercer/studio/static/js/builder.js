// The kernel as blocks: terms of a sum, factors of a product, each with its sliders.

import { choice, field, slider, toggle } from './controls.js';
import { $, announce, fill, h } from './dom.js';
import { print } from './expression.js';
import { add, asFactor, multiply, wrap } from './algebra.js';
import { accepts, dragged, kernelFrom, startDrag } from './palette.js';
import { emit, state } from './state.js';

const WRAPS = [['', 'more…'], ['normalize', '.normalize()'], ['exp', '.exp()'], ['center', '.center()'], ['square', '** 2']];

export function drawBuilder() {
  const root = state.block;
  if (!root) return;
  const terms = root.kind === 'sum' ? root.parts : [root];
  const rows = terms.map((term, at) => [
    at > 0 ? h('div', { class: 'operator', textContent: '+', 'aria-hidden': 'true' }) : null,
    drawTerm(term, at, terms),
  ]);
  fill($('#builder'), rows.flat(), dropZone(terms.length));
}

function setTerms(terms) {
  state.block = terms.length === 1 ? terms[0] : { kind: 'sum', parts: terms };
  changed(true);
}

// The expression follows from the blocks. While a slider moves, the blocks stay as they are.
function changed(redraw = false) {
  state.kernel = print(state.block);
  $('#expression').value = state.kernel;
  if (redraw) drawBuilder();
  emit('kernel');
}

function drawTerm(term, at, terms) {
  const scaled = term.kind === 'scale';
  const holder = scaled ? term : { kind: 'scale', factor: 1, part: term };
  const replace = (next) => setTerms(terms.map((each, place) => (place === at ? next : each)));
  const weight = slider(
    { label: 'weight', value: holder.factor, low: -2, high: 4, title: 'The factor in front of the term' },
    (value) => {
      holder.factor = value;
      terms[at] = value === 1 ? holder.part : holder;
      state.block = terms.length === 1 ? terms[0] : { kind: 'sum', parts: terms };
      changed();
    },
  );
  const setPart = (next) => replace(holder.factor === 1 ? next : { ...holder, part: next });
  const remove = terms.length > 1 ? () => { announce('Term removed'); setTerms(terms.filter((_, place) => place !== at)); } : null;
  const card = h('div', {
    class: 'term', draggable: true, 'data-term': at,
    on: {
      dragstart: (event) => startDrag(event, { term: at }),
      dragover: (event) => accepts(event, card),
      dragleave: () => card.classList.remove('over'),
      drop: (event) => { card.classList.remove('over'); dropOn(event, at, terms); },
    },
  }, weight, drawNode(holder.part, setPart, remove));
  return card;
}

// A block dropped on a term becomes a factor of it.
function dropOn(event, at, terms) {
  event.preventDefault();
  event.stopPropagation();
  const what = dragged(event);
  if (!what) return;
  if (what.term !== undefined) {
    if (what.term === at) return;
    const merged = multiply(terms[at], terms[what.term]);
    setTerms(terms.map((each, place) => (place === at ? merged : each)).filter((_, place) => place !== what.term));
  } else kernelFrom(what.kernel).then((block) => setTerms(terms.map((each, place) => (place === at ? multiply(each, block) : each))));
}

function dropZone(count) {
  const zone = h('div', {
    class: 'drop', textContent: 'drop a kernel here to add it, or on a term to multiply',
    on: {
      dragover: (event) => accepts(event, zone),
      dragleave: () => zone.classList.remove('over'),
      drop: (event) => {
        event.preventDefault();
        zone.classList.remove('over');
        const what = dragged(event);
        if (what?.kernel) addKernel(what.kernel, 'sum');
        else if (what?.term !== undefined && count > 1) moveToEnd(what.term);
      },
    },
  });
  return zone;
}

function moveToEnd(at) {
  const terms = state.block.parts;
  setTerms([...terms.filter((_, place) => place !== at), terms[at]]);
}

// A kernel of the palette, as a term or as a factor of the last term.
export async function addKernel(text, how) {
  const block = await kernelFrom(text);
  state.block = how === 'product' ? asFactor(state.block, block) : add(state.block, block);
  changed(true);
  announce(`${text} ${how === 'product' ? 'multiplied' : 'added'}: ${state.kernel}`);
}

function drawNode(node, replace, remove) {
  switch (node.kind) {
    case 'sum': case 'product': return drawJoined(node, replace, remove);
    case 'scale': return drawScale(node, replace, remove);
    case 'power': return drawPower(node, replace, remove);
    case 'method': return drawMethod(node, replace, remove);
    case 'text': return drawText(node, replace, remove);
    default: return drawLeaf(node, replace, remove);
  }
}

function drawJoined(node, replace, remove) {
  const sign = node.kind === 'sum' ? '+' : '×';
  const without = (at) => {
    const rest = node.parts.filter((_, place) => place !== at);
    replace(rest.length === 1 ? rest[0] : { ...node, parts: rest });
  };
  const parts = node.parts.map((part, at) => [
    at > 0 ? h('div', { class: 'operator', textContent: sign, 'aria-hidden': 'true' }) : null,
    drawNode(part, (next) => replace({ ...node, parts: node.parts.map((each, place) => (place === at ? next : each)) }), () => without(at)),
  ]);
  const whole = remove && h('button', { type: 'button', class: 'link', textContent: `remove the ${node.kind}`, on: { click: remove } });
  return h('div', { class: `group ${node.kind}` }, parts.flat(), whole);
}

function drawScale(node, replace, remove) {
  const weight = slider({ label: 'weight', value: node.factor, low: -2, high: 4 }, (value) => { node.factor = value; changed(); });
  return h('div', { class: 'group' }, weight, drawNode(node.part, (next) => replace({ ...node, part: next }), remove));
}

function drawPower(node, replace, remove) {
  const power = slider({ label: 'power', value: node.exponent, low: 1, high: 6, whole: Number.isInteger(node.exponent) },
    (value) => { node.exponent = value; changed(); });
  const open = h('button', { type: 'button', class: 'link', textContent: 'remove the power', on: { click: () => replace(node.part) } });
  return h('div', { class: 'group wrapped' }, drawNode(node.part, (next) => replace({ ...node, part: next }), remove), power, open);
}

function drawMethod(node, replace, remove) {
  const label = h('div', { class: 'wrapper' }, h('code', { textContent: `.${node.name}()` }),
    h('button', { type: 'button', class: 'link', textContent: 'take off', 'aria-label': `take off .${node.name}()`, on: { click: () => replace(node.part) } }));
  return h('div', { class: 'group wrapped' }, drawNode(node.part, (next) => replace({ ...node, part: next }), remove), label);
}

function drawText(node, replace, remove) {
  const text = field({ label: 'expression', value: node.text }, (value) => { node.text = value; changed(); emit('retype'); });
  return h('div', { class: 'leaf' }, text, h('div', { class: 'tools' }, removeButton(remove, node.text)));
}

function drawLeaf(node, replace, remove) {
  const entry = state.catalogue.kernels.find((kernel) => kernel.name === node.name);
  const controls = node.params.filter((param) => !param.hidden || param.text !== undefined || param.block)
    .map((param) => drawParam(node, param));
  const more = h('select', {
    'aria-label': `change ${node.name}`,
    on: { change: () => { if (more.value) replace(wrap(node, more.value)); } },
  }, WRAPS.map(([value, text]) => h('option', { value, textContent: text })));
  const head = h('div', { class: 'leaf-head' },
    h('strong', { textContent: node.name, title: entry?.formula ?? '' }), more, removeButton(remove, node.name));
  return h('div', { class: 'leaf' }, head, controls);
}

function drawParam(node, param) {
  if (param.block) {
    return h('div', { class: 'nested' }, h('span', { class: 'soft', textContent: param.name }),
      drawNode(param.block, (next) => { param.block = next; changed(true); }, null));
  }
  if (param.text !== undefined) {
    return field({ label: param.name, value: param.text }, (value) => { param.text = value; changed(); });
  }
  const update = (value) => { param.value = value; changed(); };
  if (param.control === 'slider' && typeof param.value === 'number') {
    return slider({ ...param, label: param.name.replaceAll('_', ' '), title: `must be ${param.rule}` }, update);
  }
  if (param.control === 'switch') return toggle({ label: param.name.replaceAll('_', ' '), value: param.value }, update);
  if (param.control === 'choice') return choice({ label: param.name, value: param.value, options: param.options }, update);
  return field({ label: param.name, value: String(param.value) }, (value) => { param.text = value; changed(); });
}

function removeButton(remove, what) {
  if (!remove) return null;
  return h('button', { type: 'button', class: 'icon', textContent: '✕', title: 'remove', 'aria-label': `remove ${what}`, on: { click: remove } });
}
