import { html, render } from 'htm/preact';
import { readAddress } from './address.ts';
import { Page } from './shell/page.ts';

const root = document.getElementById('page');
if (root !== null) render(html`<${Page} address=${readAddress(location.search)} />`, root);
