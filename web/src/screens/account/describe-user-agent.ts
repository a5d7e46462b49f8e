import { t } from '../../texts/text.ts'

/**
 * Describes a browser and its system, such as "Firefox 130 on Linux". An unknown program is described by the
 * beginning of its user agent.
 */
export function describeUserAgent(userAgent: string): string {
  const system = systemTokens.find(([token]) => userAgent.includes(token))?.[1]
  const name =
    browserTokens
      .map(([token, browser]) => [browser, new RegExp(`\\b${token}/(\\d+)`).exec(userAgent)?.[1]])
      .find(([, version]) => version !== undefined)
      ?.join(' ') ?? userAgent.slice(0, 40)
  return system ? t('{name} on {system}', { name, system }) : name
}

/**
 * The first token that is found decides, because user agents also contain the tokens of compatible browsers.
 * In the user agent of Safari, the version is after `Version`.
 */
const browserTokens = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Version', 'Safari'],
] as const

const systemTokens = [
  ['Windows', 'Windows'],
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const
