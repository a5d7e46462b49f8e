import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ClientPages {
  readonly origin: string
  stop(): Promise<void>
}

/** The least that a browser client has: a page of its own origin, a sign-in form, and a callback. */
export async function startClientPages(issuer: string): Promise<ClientPages> {
  const server = createServer((request, response) => {
    const isLogin = request.url?.startsWith('/login/') ?? false
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(page(isLogin ? signInForm(issuer) : ''))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    // By name: another site than the identity host's, which is the harder case for its cookie.
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const page = (content: string) => `<!doctype html><html lang="en"><title>Client</title>${content}</html>`

const signInForm = (issuer: string) => `
  <form method="post" action="${issuer}/api/account/login">
    <input name="login"><input name="password" type="password"><input name="authRequest" type="hidden">
    <button>Sign in</button>
  </form>
  <script>
    document.forms[0].authRequest.value = new URLSearchParams(location.search).get('authRequest') ?? ''
  </script>`
