import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openStage } from '../test/browser/support/stage.ts'
import { administratorLogin } from '../test/browser/support/tracker-hosts.ts'
import { makePictureScene, type PictureScene } from './pictures/scene.ts'

interface Picture {
  readonly name: string
  readonly size: readonly [width: number, height: number]
  readonly colors?: 'dark'
  readonly path: (scene: PictureScene) => string
  /** A text that has to be shown before the picture is taken. */
  readonly shows: string
  prepare?(page: Page): Promise<void>
}

const pictures: readonly Picture[] = [
  {
    name: 'board',
    size: [1280, 800],
    path: ({ projectId, openId }) => `/projects/${projectId}/assignments/${openId}`,
    shows: 'Reproduced; the mail gateway it is',
  },
  {
    name: 'board-phone',
    size: [390, 780],
    path: ({ projectId }) => `/projects/${projectId}`,
    shows: 'Write the imprint',
  },
  {
    name: 'projects-dark',
    size: [1280, 560],
    colors: 'dark',
    path: () => '/projects',
    shows: 'Patient portal',
  },
  {
    name: 'list',
    size: [1280, 720],
    path: ({ projectId }) => `/projects/${projectId}?view=list&group=stage`,
    shows: 'Photos of the new office',
    async prepare(page) {
      for (const name of ['Photos of the new office', 'Redirect every old address'])
        await page.getByLabel(`Select ${name}`).check()
    },
  },
  {
    name: 'timeline',
    size: [1280, 620],
    colors: 'dark',
    path: ({ projectId }) => `/projects/${projectId}?view=timeline`,
    shows: 'Go live',
  },
  { name: 'week', size: [1280, 720], path: () => '/week', shows: 'Call with Dr. Osei' },
  { name: 'reports', size: [1280, 900], path: () => '/reports', shows: 'Hours per project' },
]

/** Late answers, such as faces and sums. */
const restMilliseconds = 800

/** The pictures of the web client in docs/images/: `npm run pictures`. */
const stage = await openStage()
try {
  const scene = await makePictureScene(stage)
  const context = (await stage.signIn(administratorLogin, '/account')).context()
  const page = await context.newPage()
  for (const { name, size, colors = 'light', path, shows, prepare } of pictures) {
    await page.setViewportSize({ width: size[0], height: size[1] })
    await page.emulateMedia({ colorScheme: colors, reducedMotion: 'reduce' })
    await page.goto(stage.hosts.web + path(scene))
    await page.getByText(shows).first().waitFor()
    await prepare?.(page)
    await page.mouse.move(0, 0)
    await page.waitForTimeout(restMilliseconds)
    await page.screenshot({ path: join(import.meta.dirname, '..', 'docs', 'images', `${name}.png`) })
  }
} finally {
  await stage.stop()
}
