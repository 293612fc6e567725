import { html, render } from 'htm/preact';
import { readAddress } from './address.ts';
import { Page } from './shell/page.ts';

const root = document.createElement('div');
root.id = 'page';
document.body.append(root);
render(html`<${Page} address=${readAddress(location.search)} />`, root);
