import { existsSync } from 'node:fs'

/** Debian's, unless CHROMIUM names another one; undefined where there is none. */
export function findBrowser(): string | undefined {
  return [
    process.env.CHROMIUM,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ].find((path) => path !== undefined && existsSync(path))
}
