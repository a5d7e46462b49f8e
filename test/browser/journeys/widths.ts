import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { ptBr } from '../../../web/src/texts/pt-br.ts'
import { checkedTags, findViolations } from '../support/accessibility-report.ts'
import { type BrowserSetup, resize } from '../support/browser-setup.ts'
import { everyScreen, goWithin } from '../support/every-screen.ts'

/** From the smallest phone to a large screen. 640 is also the width of 1,280 pixels at 200 % zoom. */
const widths = [320, 390, 640, 700, 768, 935, 1080, 2560]

/** Describes elements that are wider than the page, overlap in the top bar, or are cut off in the navigation. */
export const layoutFaultsOf = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const faults = []
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth > clientWidth) {
      const wide = [...document.querySelectorAll('main *')].filter((element) => element.getBoundingClientRect().right > clientWidth + 1).pop()
      faults.push('the page scrolls sideways: ' + scrollWidth + ' of ' + clientWidth + ' ' + (wide?.outerHTML.slice(0, 160) ?? ''))
    }
    const controls = [...document.querySelectorAll('.top-bar a, .top-bar button')]
      .filter((element) => element.checkVisibility())
      .map((element) => ({ name: element.textContent, box: element.getBoundingClientRect() }))
    const overlaps = (box, other) =>
      box.left < other.right - 1 && other.left < box.right - 1 && box.top < other.bottom - 1 && other.top < box.bottom - 1
    for (const [index, { name, box }] of controls.entries()) {
      if (box.left < -1 || box.right > clientWidth + 1) faults.push(name + ' is outside the window')
      for (const other of controls.slice(index + 1))
        if (overlaps(box, other.box)) faults.push(name + ' overlaps ' + other.name)
    }
    for (const span of document.querySelectorAll('.navigation span'))
      if (span.checkVisibility() && span.scrollWidth > span.clientWidth + 1) faults.push(span.textContent + ' is cut off')
    return faults
  })()`)

/** Returns the faults at a width, to which scripts adapt in the next frame. Only a page with faults waits for it. */
async function layoutFaultsAt(page: Page, width: number): Promise<readonly string[]> {
  await page.setViewportSize({ width, height: 800 })
  const faults = await layoutFaultsOf(page)
  if (faults.length === 0) return faults
  await resize(page, width, 800)
  return layoutFaultsOf(page)
}

/** The texts of screens in Portuguese. Names that users have chosen are not translated. */
const inPortuguese: Readonly<Record<string, string>> = { ...ptBr, 'November 2026': 'novembro de 2026' }

/** Colours are not checked, because they do not depend on the language and take axe longest. */
const withoutColors = { runOnly: checkedTags, rules: { 'color-contrast': { enabled: false } } }

const languages = {
  English: { options: {}, translate: (text: string) => text, checkFurther: checkMirrored },
  'Portuguese, whose words are longer': {
    options: { locale: 'pt-BR' },
    translate: (text: string) => inPortuguese[text] ?? text,
    checkFurther: (page: Page, path: string) => findViolations(page, path, withoutColors),
  },
}

/** Checks the page with a right-to-left direction. */
async function checkMirrored(page: Page, path: string): Promise<readonly string[]> {
  await page.evaluate(`document.documentElement.dir = 'rtl'`)
  const faults: string[] = []
  for (const width of [390, 768]) {
    for (const fault of await layoutFaultsAt(page, width))
      faults.push(`${path} at ${width}, from right to left: ${fault}`)
  }
  const [brand, account] = await Promise.all(
    ['.brand', '.top-bar .account'].map((selector) => page.locator(selector).boundingBox()),
  )
  if ((brand?.x ?? 0) < (account?.x ?? 0)) faults.push(`${path} is not mirrored`)
  await page.evaluate(`document.documentElement.dir = 'ltr'`)
  return faults
}

/** Each test has half of the screens, because the time of a test is limited, and a machine may be slow. */
const halves = { 'the first screens': [0, 13], 'the other screens': [13, undefined] } as const

export function widthJourneys(language: keyof typeof languages) {
  const { options, translate, checkFurther } = languages[language]
  return (setup: () => BrowserSetup): void => {
    const measure = async (page: Page, path: string) => {
      const faults: string[] = []
      for (const width of widths)
        for (const fault of await layoutFaultsAt(page, width)) faults.push(`${path} at ${width}: ${fault}`)
      return faults
    }

    test(`the sign-in fits every width from 320 to 2,560 pixels and 200 % zoom in ${language}`, async () => {
      const page = await setup().visit('/login/', options)
      await page.getByText(translate('Sign in with a passkey')).waitFor()
      assert.deepEqual(await measure(page, '/login/'), [])
    })

    for (const [half, range] of Object.entries(halves))
      test(`${half} fit every width from 320 to 2,560 pixels and 200 % zoom in ${language}`, async () => {
        const { hosts, signIn, workspace } = setup()
        const faults: string[] = []
        const name = 'A-name-without-any-place-to-break-it-in-two-that-a-person-has-typed'
        const id = await workspace.assignment(name)
        await workspace.make('userAssignment', { assignmentId: id, userId: workspace.administrator.id })
        const page = await signIn('root@example.com', '/account', options)
        for (const { path, shows } of (await everyScreen(hosts, workspace, { id, name })).slice(...range)) {
          await goWithin(page, path)
          await page.getByText(translate(shows)).first().waitFor({ state: 'attached' })
          faults.push(...(await measure(page, path)), ...(await checkFurther(page, path)))
        }
        assert.deepEqual(faults, [])
      })
  }
}
