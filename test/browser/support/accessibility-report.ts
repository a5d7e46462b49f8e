import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

export const colorSchemes = ['light', 'dark'] as const

export interface AccessibilityReport {
  /** Checks the page in its current state, in both colour schemes. */
  check(page: Page, where: string): Promise<void>
  readonly violations: Readonly<Record<(typeof colorSchemes)[number], readonly string[]>>
}

/**
 * Collects the violations that axe finds. In dark colours, only the rules about colours are checked, because
 * nothing else differs.
 */
export function openAccessibilityReport(): AccessibilityReport {
  const violations = { light: [] as string[], dark: [] as string[] }
  return {
    violations,
    async check(page, where) {
      violations.light.push(...(await findViolations(page, where)))
      await page.emulateMedia({ colorScheme: 'dark' })
      violations.dark.push(...(await findViolations(page, where, colorOptions)))
      await page.emulateMedia({ colorScheme: 'light' })
    },
  }
}

export const checkedTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const colorOptions = { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** The minified script. Every loaded page parses it, and parsing the full source takes twice as long. */
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Waits for the end of animations, because colours cannot be measured while they change. Excludes animations
 * of skeletons, which never end, and animations that depend on scrolling.
 */
const waitForAnimations = `(async () => {
  const runningAnimations = () =>
    document.getAnimations().filter(({ timeline, playState, effect }) => timeline === document.timeline && playState === 'running' && effect.getComputedTiming().endTime !== Infinity)
  for (let animations = runningAnimations(); animations.length > 0; animations = runningAnimations())
    await Promise.allSettled(animations.map(({ finished }) => finished))
})()`

/**
 * Runs axe in the page through the debugger, to which the content policy does not apply. `targetExpression` is
 * the source of an expression.
 */
export async function findViolations(
  page: Page,
  where: string,
  options: object = { runOnly: checkedTags },
  targetExpression = 'document',
): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe)
  await page.evaluate(waitForAnimations)
  const axeOptions = JSON.stringify({ ...options, resultTypes: ['violations'], preload: false })
  const violations = await page.evaluate<Violation[]>(
    `axe.run(${targetExpression}, ${axeOptions}).then((result) => result.violations)`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${where}: ${id}: ${html}\n${failureSummary}`),
  )
}
