import { createHash } from 'node:crypto'
import type { Language } from '../../../model/language.ts'
import { type Html, html } from './html.ts'
import type { Say } from './texts.ts'

/** A page of this host, rendered in the requested language. */
export type Page = (say: Say) => RenderedPage

/** Complete without a script, with inline style, so that it needs only one request. */
export interface RenderedPage {
  readonly title: Html
  readonly content: Html
  /**
   * Addresses to which its form may redirect, in addition to this host: after a post, browsers follow
   * redirects only there.
   */
  readonly leadsTo?: readonly string[]
  /** A script of this host. */
  readonly script?: string
  /** The address to which it continues automatically. */
  readonly goesTo?: string
  readonly status?: number
  /** The time until a retry may succeed. */
  readonly retryAfterSeconds?: number
}

export const renderPage = ({ title, content, script, goesTo }: RenderedPage, language: Language): string =>
  html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${goesTo === undefined ? '' : html`<meta http-equiv="refresh" content="0;url=${goesTo}">`}
<style>${{ markup: style }}</style>
${script === undefined ? '' : html`<script src="${script}" defer></script>`}
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.markup

/**
 * Nothing is loaded from other hosts, and no other site may show the page in a frame, where it could be
 * clicked unseen.
 */
export const pageHeaders = ({
  leadsTo = [],
  script,
  retryAfterSeconds,
}: RenderedPage): Readonly<Record<string, string>> => ({
  ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  'content-security-policy': [
    "default-src 'none'",
    `style-src '${styleHash}'`,
    ...(script === undefined ? [] : ["script-src 'self'"]),
    ["form-action 'self'", ...new Set(leadsTo.map(sourceOf))].join(' '),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  // The full path would reveal too much, and under `no-referrer` browsers would send the origin of our own
  // posts as `null`.
  'referrer-policy': 'strict-origin',
})

/** An app on a device has its own scheme and no origin. */
function sourceOf(address: string): string {
  const { origin, protocol } = new URL(address)
  return origin === 'null' ? protocol : origin
}

/** Like the web client's own page: both themes, touch-sized controls, and a focus ring for the keyboard. */
const style = `
:root { color-scheme: light dark; --surface: light-dark(#f6f7f9, #12151a); --raised: light-dark(#ffffff, #1b1f26);
  --line: light-dark(#828b99, #7b8494); --text: light-dark(#1a2029, #e8ebf0); --quiet: light-dark(#566070, #a3acba);
  --accent: light-dark(#2557c7, #8fb1ff); --on-accent: light-dark(#ffffff, #10192e);
  --danger: light-dark(#b3261e, #ff9c93); --danger-soft: light-dark(#fdecea, #3a1d1b) }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--surface);
  color: var(--text); font: 0.9375rem/1.45 system-ui, sans-serif }
main { width: min(100%, 24rem); display: grid; gap: 1rem; overflow-wrap: anywhere }
form { display: grid; gap: 0.75rem; padding: 1.5rem; background: var(--raised); border-radius: 0.75rem }
[hidden] { display: none }
h1 { margin: 0; font-size: 1.375rem; line-height: 1.25 }
p, ul { margin: 0 }
ul { padding-left: 1.25rem }
label { display: grid; gap: 0.25rem }
input, button { font: inherit; min-height: 2.75rem; padding: 0 0.75rem; border-radius: 0.5rem;
  border: 1px solid var(--line); background: var(--raised); color: inherit; width: 100% }
button { background: var(--accent); border-color: var(--accent); color: var(--on-accent); cursor: pointer }
a { color: var(--accent) }
a.button { display: grid; place-items: center; min-height: 2.75rem; padding: 0 0.75rem; border-radius: 0.5rem;
  border: 1px solid var(--line); background: var(--raised); text-decoration: none }
a.button.first { background: var(--accent); border-color: var(--accent); color: var(--on-accent) }
button.second { background: none; color: var(--accent) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.picture { width: 12rem; margin: 0 auto; border-radius: 0.5rem }
code { font: 1em/1.5 ui-monospace, monospace }
.codes { display: grid; gap: 0.25rem; list-style: none; padding: 1rem; background: var(--raised); border-radius: 0.75rem }
.quiet { color: var(--quiet) }
.problem { padding: 0.75rem; border-radius: 0.5rem; background: var(--danger-soft); color: var(--danger) }
`

const styleHash = `sha256-${createHash('sha256').update(style).digest('base64')}`
