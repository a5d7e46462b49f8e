import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { setUpBrowser } from '../test/browser/support/browser-setup.ts'
import { everyScreen, goWithin } from '../test/browser/support/every-screen.ts'
import { administratorLogin } from '../test/browser/support/tracker-hosts.ts'
import { makePictureScene, openName, type PictureScene } from './pictures/scene.ts'

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
    shows: '2 entries',
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

/** The time for late responses, such as avatars and sums. */
const settleMilliseconds = 800

/** The widths from a phone to a large screen. */
const widths = [390, 768, 1024, 1440, 2560]

const setup = await setUpBrowser()
try {
  const scene = await makePictureScene(setup)
  const context = (await setup.signIn(administratorLogin, '/account')).context()
  const page = await context.newPage()
  const folder = process.argv[2]
  if (folder === undefined) await takePictures(page, scene)
  else await takeEveryScreen(page, scene, folder)
} finally {
  await setup.stop()
}

/** Takes the pictures of the web client in docs/images/: `npm run pictures`. */
async function takePictures(page: Page, scene: PictureScene): Promise<void> {
  for (const { name, size, colors = 'light', path, shows, prepare } of pictures) {
    await page.setViewportSize({ width: size[0], height: size[1] })
    await page.emulateMedia({ colorScheme: colors, reducedMotion: 'reduce' })
    await page.goto(setup.hosts.web + path(scene))
    await page.getByText(shows).first().waitFor()
    await prepare?.(page)
    await page.mouse.move(0, 0)
    await page.waitForTimeout(settleMilliseconds)
    await page.screenshot({ path: join(import.meta.dirname, '..', 'docs', 'images', `${name}.png`) })
  }
}

/** Takes every screen at every width in both themes: `npm run pictures -- /tmp/screens`. */
async function takeEveryScreen(page: Page, { openId }: PictureScene, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await page.goto(`${setup.hosts.web}/account`)
  const screens = await everyScreen(setup.hosts, setup.workspace, { id: openId, name: openName })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const { path } of screens) {
      await goWithin(page, path)
      for (const width of widths) {
        await page.setViewportSize({ width, height: width < 640 ? 844 : 900 })
        await page.waitForTimeout(settleMilliseconds)
        const name = path
          .slice(1)
          .replaceAll(/[0-9a-f]{8}-[0-9a-f-]+\/?/g, '')
          .replaceAll(/\W+/g, '-')
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) })
      }
    }
  }
}
