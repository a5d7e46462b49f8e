import type { CDPSession, Page } from 'playwright-core'

/** A passkey in the browser itself: it is touched, and verifies the person, whenever it is asked. */
export async function addAuthenticator(page: Page): Promise<CDPSession> {
  const debug = await page.context().newCDPSession(page)
  await debug.send('WebAuthn.enable')
  await debug.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return debug
}
