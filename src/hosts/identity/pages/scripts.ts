import type { FastifyInstance } from 'fastify'
import type { PageTemplate } from './page.ts'
import { type Html, html, type PlainText, type Translate } from './texts.ts'

const formPostScriptRoute = '/ext/form-post.js'
const passkeyScriptRoute = '/ext/passkey.js'

/** The rate limit does not count requests for these, because browsers cache them for an hour. */
export const pageScriptPaths: readonly string[] = [formPostScriptRoute, passkeyScriptRoute]

/** Serves the few scripts that pages of this host load. */
export function addPageScripts(app: FastifyInstance): void {
  addFormPostScript(app)
  addPasskeyScript(app)
}

/** Submits the page's form. Without scripts the user presses its button. */
const formPostScript = 'document.forms[0].submit()\n'

function addFormPostScript(app: FastifyInstance): void {
  app.get(formPostScriptRoute, (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=3600')
      .type('text/javascript; charset=utf-8')
      .send(formPostScript),
  )
}

/**
 * A page that posts a response to the client, so that it is in no URL (OAuth 2.0 Form Post Response Mode, 2).
 */
export const formPostPage =
  (
    action: string,
    fields: Readonly<Record<string, string>>,
    formRedirects: readonly string[],
  ): PageTemplate =>
  (t) => ({
    title: t('Back to the app'),
    formRedirects,
    // A relative path, because a proxy may serve this host under a path.
    script: `..${formPostScriptRoute}`,
    content: html`<form method="post" action="${action}">
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}
<button>${t('Continue')}</button>
</form>`,
  })

/** A relative path, because a proxy may serve this host under a path. */
export const passkeyScriptPath = `..${passkeyScriptRoute}`

/** A passkey form opens the browser's dialog and submits the result. Without scripts it stays hidden. */
const passkeyScript = `
for (const form of document.querySelectorAll('form[data-passkey]')) {
  const { passkey, options, auto } = form.dataset
  const problem = form.querySelector('[role=alert]')
  const isSupported = window.PublicKeyCredential && PublicKeyCredential.parseRequestOptionsFromJSON
  if (!isSupported) continue
  form.hidden = false
  const usePasskey = async () => {
    problem.hidden = true
    try {
      const json = JSON.parse(options)
      const publicKey = passkey === 'create' ? PublicKeyCredential.parseCreationOptionsFromJSON(json)
        : PublicKeyCredential.parseRequestOptionsFromJSON(json)
      const credential = await navigator.credentials[passkey]({ publicKey })
      form.elements.credential.value = JSON.stringify(credential.toJSON())
      form.submit()
    } catch {
      problem.hidden = false
    }
  }
  form.addEventListener('submit', (event) => { event.preventDefault(); usePasskey() })
  if (auto !== undefined) usePasskey()
}
`

function addPasskeyScript(app: FastifyInstance): void {
  app.get(passkeyScriptRoute, (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=3600')
      .type('text/javascript; charset=utf-8')
      .send(passkeyScript),
  )
}

export interface PasskeyFormOptions {
  readonly dialog: { readonly options: object; readonly challenge: string }
  /** The method of `navigator.credentials`. */
  readonly method: 'create' | 'get'
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  readonly label: PlainText
  /** Opens the dialog automatically, on pages with no other purpose. */
  readonly isAutomatic?: boolean
}

/** A form that opens the browser's passkey dialog. It is hidden until its script runs. */
export const passkeyForm = (
  t: Translate,
  { dialog, method, action, fields, label, isAutomatic = false }: PasskeyFormOptions,
): Html =>
  html`<form method="post" action="${action}" data-passkey="${method}" data-options="${JSON.stringify(dialog.options)}"${isAutomatic ? html` data-auto` : ''} hidden>
<p class="problem" role="alert" hidden>${t('The passkey was not used. Try again.')}</p>
${Object.entries({ ...fields, challenge: dialog.challenge, credential: '' }).map(
  ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`,
)}<button class="second">${t(label)}</button>
</form>`
