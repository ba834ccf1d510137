// A chapter of the documentation in a dialog: a small reader of Markdown, which builds elements.

import { connection } from './connection.js';
import { $, fill, h, toast } from './dom.js';
import { math } from './math.js';

export async function openChapter(name) {
  try {
    const { text } = await connection.ask('chapter', { name });
    fill($('#chapter-text'), render(text));
    $('#chapter').showModal();
    $('#chapter-text').scrollTop = 0;
  } catch (error) {
    toast(error.message, 'bad');
  }
}

export function render(text) {
  const lines = text.replaceAll('\r', '').split('\n');
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (line.startsWith('```') || line.startsWith(':::')) {
      const end = lines.findIndex((each, place) => place > at && each.startsWith(line.slice(0, 3)));
      const stop = end < 0 ? lines.length : end;
      if (!line.startsWith('```{')) blocks.push(h('pre', {}, h('code', { textContent: lines.slice(at + 1, stop).join('\n') })));
      at = stop + 1;
    } else if (line === '$$') {
      const stop = lines.indexOf('$$', at + 1);
      blocks.push(h('div', { class: 'scroll formula' }, math(lines.slice(at + 1, stop).join(' '), true)));
      at = stop + 1;
    } else if (/^#+ /.test(line)) {
      const depth = line.match(/^#+/)[0].length;
      blocks.push(h(`h${Math.min(depth + 1, 5)}`, {}, inline(line.slice(depth + 1))));
      at += 1;
    } else if (line.startsWith('|')) {
      const rows = take(lines, at, (each) => each.startsWith('|'));
      blocks.push(table(rows));
      at += rows.length;
    } else if (/^(- |\d+\. )/.test(line)) {
      const items = take(lines, at, (each) => /^(- |\d+\. |\s+\S)/.test(each));
      blocks.push(list(items));
      at += items.length;
    } else if (!line.trim() || /^(\(|<|!\[)/.test(line)) at += 1;
    else {
      const paragraph = take(lines, at, (each) => each.trim() && !/^(```|#|\||- |\$\$)/.test(each));
      blocks.push(h('p', {}, inline(paragraph.join(' '))));
      at += Math.max(1, paragraph.length);
    }
  }
  return blocks;
}

function take(lines, start, keep) {
  let end = start;
  while (end < lines.length && keep(lines[end])) end += 1;
  return lines.slice(start, end);
}

function table(rows) {
  const cells = rows.filter((row) => !/^\|[\s:|-]+\|$/.test(row)).map((row) => row.slice(1, -1).split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|')));
  return h('div', { class: 'scroll' }, h('table', {}, cells.map((row, at) => h('tr', {}, row.map((cell) => h(at ? 'td' : 'th', {}, inline(cell)))))));
}

function list(items) {
  const joined = [];
  for (const item of items) {
    if (/^(- |\d+\. )/.test(item)) joined.push(item.replace(/^(- |\d+\. )/, ''));
    else joined[joined.length - 1] += ` ${item.trim()}`;
  }
  return h('ul', {}, joined.map((item) => h('li', {}, inline(item))));
}

function inline(text) {
  return text.split(/(`[^`]+`|\$[^$]+\$|\*\*[^*]+\*\*|\*[^*]+\*|\[[^\]]+\]\([^)]*\))/).map((part) => {
    if (/^\$.+\$$/.test(part)) return math(part.slice(1, -1));
    if (part.startsWith('`')) return h('code', { textContent: part.slice(1, -1) });
    if (part.startsWith('**')) return h('strong', { textContent: part.slice(2, -2) });
    if (/^\*[^*]+\*$/.test(part)) return h('em', { textContent: part.slice(1, -1) });
    const link = part.match(/^\[([^\]]+)\]/);
    return link ? h('span', { class: 'reference', textContent: link[1].replaceAll('`', '') }) : part;
  });
}
