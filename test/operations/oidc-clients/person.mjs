const { ROOT } = process.env
const { openBrowser } = await import(`${ROOT}/test/support/browser.ts`)

export const issuer = process.env.Jwt__Issuer
export const server = `http://localhost:${process.env.SERVER_PORT}`
export const secret = process.env.SECRET
export const login = process.env.SVC_DEMO_LOGIN
export const password = process.env.SVC_DEMO_PASSWORD

/** Opens a browser without scripts. It follows every redirect on localhost, to any port. */
export function openPerson() {
  const browser = openBrowser(issuer)
  const follow = async (page) => {
    let current = page
    for (let hops = 0; hops < 20 && current.location !== ''; hops += 1) {
      const url = new URL(current.location, current.address)
      if (url.href.startsWith(`${server}/callback`) && !browser.visitsCallbacks) return { callback: url }
      current = await browser.get(url.href)
    }
    return current
  }
  return {
    browser,
    follow,
    /** Opens an address, fills in the forms, and returns the last page or the callback. */
    async signIn(address) {
      let page = await follow(await browser.get(address))
      if (page.text?.includes('name="password"')) page = await type(page, { login, password })
      if (page.text?.includes('name="answer"')) page = await type(page, { answer: 'allow' })
      return page
    },
  }

  async function type(page, typed) {
    const [, action = ''] = /<form method="post" action="([^"]+)"/.exec(page.text) ?? []
    const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
    const fields = Object.fromEntries(hidden.map(([, name, value]) => [name, value]))
    const target = new URL(action, page.address).href
    return follow(await browser.post(target, { ...fields, ...typed }, { origin: page.address.origin }))
  }
}

/** Returns a status, which is 200 while the provider accepts the token. */
export const statusOf = async (token) =>
  (await fetch(`${issuer}/connect/userinfo`, { headers: { authorization: `Bearer ${token}` } })).status
