import { t } from '../texts/text.ts'

/** What a browser calls itself begins with the same words in all of them. */
export function browserNameOf(userAgent: string): string {
  const known = /(Firefox|Edg|OPR|Chrome|Safari)\/(\d+)/.exec(userAgent)
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(userAgent)?.[1]
  const name = known ? `${names[known[1] ?? ''] ?? known[1]} ${known[2]}` : userAgent.slice(0, 40)
  return system ? t('{name} on {system}', { name, system: system.replace('Mac OS X', 'macOS') }) : name
}

const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' }
