import type { FastifyInstance } from 'fastify'
import { html } from './html.ts'
import type { Page } from './page.ts'

const formPostScriptPath = '/ext/form-post.js'

/** Sends the page's form on; without scripts its button does. */
const formPostScript = 'document.forms[0].submit()\n'

export function addFormPostScript(app: FastifyInstance): void {
  app.get(formPostScriptPath, (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=3600')
      .type('text/javascript; charset=utf-8')
      .send(formPostScript),
  )
}

/** OAuth 2.0 Form Post Response Mode, 2: the answer goes to the client in a post, not in an address. */
export const formPostPage =
  (action: string, fields: Readonly<Record<string, string>>, leadsTo: readonly string[]): Page =>
  (say) => ({
    title: say('Back to the app'),
    leadsTo,
    // From where it is shown, because a proxy may have put this host under a path.
    script: `..${formPostScriptPath}`,
    content: html`<form method="post" action="${action}">
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}
<button>${say('Continue')}</button>
</form>`,
  })
