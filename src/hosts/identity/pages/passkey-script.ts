import type { FastifyInstance } from 'fastify'

const path = '/ext/passkey.js'
/** From where the pages are shown, because a proxy may have put this host under a path. */
export const passkeyScriptPath = `..${path}`

/** A form of a passkey opens the browser's dialog, and sends on what came of it. Without a script it stays hidden. */
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

export function addPasskeyScript(app: FastifyInstance): void {
  app.get(path, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=3600').type('text/javascript; charset=utf-8').send(script),
  )
}
