/** The origin of the web client. */
export const origin = 'http://app.example.test'
export const otherOrigin = 'http://other.example.test'
export const redirectUri = `${origin}/signin-callback/`

/** A service client, and the login of its account. */
export const robot = { id: 'robot', secret: 'a-secret-of-at-least-32-characters', login: 'robot@example.com' }
