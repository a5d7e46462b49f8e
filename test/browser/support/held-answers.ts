import type { Page, Request } from 'playwright-core'

/** Answers arrive when the test says so, not when a clock does. */
export interface HeldAnswers {
  /** From now on requests wait for `letGo`. */
  hold(): void
  /** Each answer now arrives after the page has painted the earlier ones and the skeletons of the rest. */
  letGo(): void
  /** Resolves when every request was answered and painted, and the page sends no more. */
  untilQuiet(): Promise<void>
}

/** An answer may lead to another request, or to another part of the page. */
const quietFrames = 10
/** The test itself reports a page that never comes to rest. */
const framesMax = 1000

export async function holdAnswers(page: Page, addresses: readonly string[]): Promise<HeldAnswers> {
  const isHeld = (url: string) => addresses.some((address) => url.startsWith(`${address}/`))
  const pending = new Set<Request>()
  let asked = 0
  let letGo = Promise.withResolvers<void>()
  page.on('request', (request) => {
    if (!isHeld(request.url())) return
    asked += 1
    pending.add(request)
  })
  // A stream ends when its page does: its headers are its answer.
  page.on('response', (response) => void pending.delete(response.request()))
  page.on('requestfailed', (request) => void pending.delete(request))
  await page.route(
    ({ href }) => isHeld(href),
    async (route) => {
      await letGo.promise
      await shapesStand(page)
      await painted(page, 5)
      await route.continue()
    },
  )
  return {
    hold() {
      letGo = Promise.withResolvers<void>()
      pending.clear()
    },
    letGo: () => letGo.resolve(),
    async untilQuiet() {
      let quiet = 0
      let known = asked
      for (let frames = 0; frames < framesMax && quiet < quietFrames; frames += 1) {
        await painted(page, 1)
        quiet = pending.size === 0 && asked === known ? quiet + 1 : 0
        known = asked
      }
    },
  }
}

/** Skeletons appear only when loading takes a while. */
async function shapesStand(page: Page): Promise<void> {
  const areHidden = () =>
    page
      .evaluate(() =>
        [...document.querySelectorAll('.skeleton')].some(
          (one) => !one.checkVisibility({ opacityProperty: true }),
        ),
      )
      .catch(() => false)
  for (let frames = 0; frames < framesMax && (await areHidden()); frames += 1) await painted(page, 1)
}

/** A page that the test has left paints no more. */
const painted = (page: Page, frames: number): Promise<unknown> =>
  page
    .evaluate(
      (count) =>
        new Promise<void>((resolve) => {
          const next = (left: number) =>
            left === 0 ? resolve() : requestAnimationFrame(() => next(left - 1))
          next(count)
        }),
      frames,
    )
    .catch(() => undefined)
