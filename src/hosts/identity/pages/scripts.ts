import type { FastifyInstance } from 'fastify'
import { type Html, html } from './html.ts'
import type { Page } from './page.ts'
import type { PlainText, Say } from './texts.ts'

/** Serves the few scripts that pages of this host load. */
export function addPageScripts(app: FastifyInstance): void {
  addFormPostScript(app)
  addPasskeyScript(app)
}

const formPostScriptPath = '/ext/form-post.js'

/** Submits the page's form; without scripts the user presses its button. */
const formPostScript = 'document.forms[0].submit()\n'

function addFormPostScript(app: FastifyInstance): void {
  app.get(formPostScriptPath, (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=3600')
      .type('text/javascript; charset=utf-8')
      .send(formPostScript),
  )
}

/** OAuth 2.0 Form Post Response Mode, 2: the response goes to the client in a post, not in an address. */
export const formPostPage =
  (action: string, fields: Readonly<Record<string, string>>, leadsTo: readonly string[]): Page =>
  (say) => ({
    title: say('Back to the app'),
    leadsTo,
    // A relative path, because a proxy may serve this host under a path.
    script: `..${formPostScriptPath}`,
    content: html`<form method="post" action="${action}">
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}
<button>${say('Continue')}</button>
</form>`,
  })

const path = '/ext/passkey.js'
/** A relative path, because a proxy may serve this host under a path. */
export const passkeyScriptPath = `..${path}`

/** A passkey form opens the browser's dialog and submits the result. Without scripts it stays hidden. */
const script = `
for (const form of document.querySelectorAll('form[data-passkey]')) {
  const { passkey, options, auto } = form.dataset
  const problem = form.querySelector('[role=alert]')
  const isKnown = window.PublicKeyCredential && PublicKeyCredential.parseRequestOptionsFromJSON
  if (!isKnown) continue
  form.hidden = false
  const ask = async () => {
    problem.hidden = true
    try {
      const given = JSON.parse(options)
      const publicKey = passkey === 'create' ? PublicKeyCredential.parseCreationOptionsFromJSON(given)
        : PublicKeyCredential.parseRequestOptionsFromJSON(given)
      const credential = await navigator.credentials[passkey]({ publicKey })
      form.elements.credential.value = JSON.stringify(credential.toJSON())
      form.submit()
    } catch {
      problem.hidden = false
    }
  }
  form.addEventListener('submit', (event) => { event.preventDefault(); ask() })
  if (auto !== undefined) ask()
}
`

function addPasskeyScript(app: FastifyInstance): void {
  app.get(path, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=3600').type('text/javascript; charset=utf-8').send(script),
  )
}

export interface PasskeyFormOptions {
  readonly dialog: { readonly options: object; readonly challenge: string }
  /** The method of `navigator.credentials`. */
  readonly asksTo: 'create' | 'get'
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  readonly label: PlainText
  /** Opens the dialog automatically, on pages with no other purpose. */
  readonly isAutomatic?: boolean
}

/** Hidden until its script runs. */
export const passkeyForm = (
  say: Say,
  { dialog, asksTo, action, fields, label, isAutomatic = false }: PasskeyFormOptions,
): Html =>
  html`<form method="post" action="${action}" data-passkey="${asksTo}" data-options="${JSON.stringify(dialog.options)}"${isAutomatic ? html` data-auto` : ''} hidden>
<p class="problem" role="alert" hidden>${say('The passkey was not used. Try again.')}</p>
${Object.entries({ ...fields, challenge: dialog.challenge, credential: '' }).map(
  ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`,
)}<button class="second">${say(label)}</button>
</form>`
