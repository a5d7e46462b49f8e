import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

export const colorSchemes = ['light', 'dark'] as const

export interface AccessibilityReport {
  /** Looks at the page as it is now, in both colour schemes. */
  look(page: Page, where: string): Promise<void>
  readonly violations: Readonly<Record<(typeof colorSchemes)[number], readonly string[]>>
}

/** What axe finds on the screens. In dark colours it asks about colours only, since nothing else differs. */
export function openAccessibilityReport(): AccessibilityReport {
  const violations = { light: [] as string[], dark: [] as string[] }
  return {
    violations,
    async look(page, where) {
      violations.light.push(...(await findViolations(page, where)))
      await page.emulateMedia({ colorScheme: 'dark' })
      violations.dark.push(...(await findViolations(page, where, colorRules)))
      await page.emulateMedia({ colorScheme: 'light' })
    },
  }
}

export const allRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const colorRules = { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** Every loaded page parses it again; parsing the whole source takes twice as long. */
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Colours that are still changing cannot be measured. Skeletons move as long as they are there. */
const changesEnded = `(async () => {
  const changing = () =>
    document.getAnimations().filter((one) => one.playState === 'running' && one.effect.getComputedTiming().endTime !== Infinity)
  for (let all = changing(); all.length > 0; all = changing())
    await Promise.allSettled(all.map((one) => one.finished))
})()`

/** Through the debugger, which the content policy does not concern. */
export async function findViolations(
  page: Page,
  where: string,
  options: object = { runOnly: allRules },
): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe)
  await page.evaluate(changesEnded)
  const given = JSON.stringify({ ...options, resultTypes: ['violations'], preload: false })
  const violations = await page.evaluate<Violation[]>(
    `axe.run(document, ${given}).then((result) => result.violations)`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${where}: ${id}: ${html}\n${failureSummary}`),
  )
}
