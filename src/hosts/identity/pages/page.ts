import { createHash } from 'node:crypto'
import type { Language } from '../../../model/language.ts'
import { type Html, html, type Translate } from './texts.ts'

/** Creates a page in the language of the request. */
export type PageTemplate = (t: Translate) => Page

interface Page {
  readonly title: Html
  readonly content: Html
  /**
   * URLs to which the form may redirect, in addition to this host. After a post, browsers follow redirects
   * only to allowed origins.
   */
  readonly formRedirects?: readonly string[]
  /** The path of a script of this host. */
  readonly script?: string
  /** The URL to which the page continues automatically. */
  readonly refreshesTo?: string
  readonly status?: number
  /** The time until a retry may succeed. */
  readonly retryAfterSeconds?: number
}

/**
 * The style is a constant and is not escaped. It is inline, so that a page without a script needs only one
 * request.
 */
export const renderPage = ({ title, content, script, refreshesTo }: Page, language: Language): string =>
  html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${refreshesTo === undefined ? '' : html`<meta http-equiv="refresh" content="0;url=${refreshesTo}">`}
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
 * Returns the headers of a page. It loads nothing from other hosts, and no other site may show it in a frame,
 * where users could be tricked into clicking it.
 */
export const pageHeaders = ({
  formRedirects = [],
  script,
  retryAfterSeconds,
}: Page): Readonly<Record<string, string>> => ({
  ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  'content-security-policy': [
    "default-src 'none'",
    `style-src '${styleHash}'`,
    ...(script === undefined ? [] : ["script-src 'self'"]),
    ["form-action 'self'", ...new Set(formRedirects.map(cspSourceOf))].join(' '),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  // The full path would reveal too much, and under `no-referrer` browsers would send the origin of our own
  // posts as `null`.
  'referrer-policy': 'strict-origin',
})

/** Returns the CSP source of a URL. That of an app on a device is its scheme, because it has no origin. */
function cspSourceOf(url: string): string {
  const { origin, protocol } = new URL(url)
  return origin === 'null' ? protocol : origin
}

/** Shown for a request that has expired, or that this host did not create. */
export const outdatedPage: PageTemplate = (t) => ({
  title: t('This page has expired'),
  status: 400,
  content: html`<p>${t('Go back to the app you came from and start again there.')}</p>`,
})

export const signedOutPage =
  ({ isAddressUnknown = false } = {}): PageTemplate =>
  (t) => ({
    title: t('You are signed out'),
    content: html`${isAddressUnknown ? html`<p>${t(unregisteredAddressText)}</p>` : ''}
<p>${t('You can close this page.')}</p>`,
  })

const unregisteredAddressText =
  'The app requested a redirect to an address that is not registered for it, so you stay on this page.'

export function lockedText(t: Translate, retryAfter = ''): Html {
  const minutes = Math.ceil(Number.parseInt(retryAfter, 10) / 60) || 1
  return minutes <= 1
    ? t('Too many attempts with this login. Try again in a minute.')
    : t('Too many attempts with this login. Try again in {minutes} minutes.', { minutes: String(minutes) })
}

/**
 * The look of the web client's sign-in page: both themes, touch-sized controls, and a focus ring for the
 * keyboard.
 */
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
