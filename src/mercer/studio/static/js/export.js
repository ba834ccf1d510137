// What can be taken away: a Python program, the points, and a report of the playground.

import { connection } from './connection.js';
import { $, copy, download, toast } from './dom.js';
import { request, state } from './state.js';

export function startExport() {
  $('#copy-python').addEventListener('click', async () => {
    try {
      copy((await connection.ask('code', request())).code, 'The Python program');
    } catch (error) {
      toast(error.message, 'bad');
    }
  });
  $('#export-report').addEventListener('click', () => exportReport().catch((error) => toast(error.message, 'bad')));
}

const STYLE = `body{font:16px/1.55 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b2330}
pre{background:#f3f5f9;padding:1rem;border-radius:8px;overflow:auto;white-space:pre-wrap}h1{font-size:1.6rem}h2{font-size:1.15rem;margin-top:2rem}
.pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(16rem,1fr));gap:1rem}figure{margin:0}img{width:100%;border:1px solid #d9dee8;border-radius:8px}
figcaption{color:#5a6577;font-size:.9rem}`;

async function exportReport() {
  const { code } = await connection.ask('code', request());
  const title = state.preset?.title ?? 'Kernel on your points';
  const facts = (state.answer.facts ?? []).map(([name, value]) => `${name}: ${value}`).join(' · ');
  const pictures = [['#plane', 'The learner and the samples'], ['#gram', 'Gram matrix'], ['#spectrum', 'Spectrum'], ['#components', 'Kernel PCA'], ['#draws', 'Functions of the Gaussian process']]
    .filter(([selector]) => selector !== '#draws' || state.answer.prior)
    .map(([selector, text]) => `<figure><img alt="${escape(text)}" src="${$(selector).toDataURL('image/png')}"><figcaption>${escape(text)}</figcaption></figure>`);
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(title)}</title><style>${STYLE}</style><h1>${escape(title)}</h1><p>${escape(state.preset?.text ?? '')}</p>
<h2>The kernel</h2><pre>${escape(state.kernel)}</pre><p>It is <b>${escape(state.answer.proof.words)}</b>. ${escape(facts)}</p>
<div class="pictures">${pictures.join('')}</div><h2>Why</h2><pre>${escape(proofText(state.answer.proof.tree, ''))}${escape(witnessText())}</pre>
<h2>The same in Python</h2><pre>${escape(code)}</pre><p>Made with mercer studio.</p></html>`;
  download('mercer-studio.html', html, 'text/html');
  toast('The report was saved as mercer-studio.html');
}

function proofText(tree, indent) {
  const parts = tree.parts.map((part) => proofText(part, `${indent}    `)).join('');
  return `${indent}${tree.claim}\n${indent}  is ${tree.words} on ${tree.where}\n${indent}  ${tree.rule}\n${parts}`;
}

function witnessText() {
  const { witness } = state.answer.proof;
  return witness ? `\ncounterexample: ${witness.text}\n` : '';
}

function escape(text) {
  return String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
