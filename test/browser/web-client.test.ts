import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { accessibilityJourneys } from './journeys/accessibility.ts'
import { accountJourneys } from './journeys/account.ts'
import { administrationJourneys } from './journeys/administration.ts'
import { boardJourneys } from './journeys/board.ts'
import { connectionJourneys } from './journeys/connection.ts'
import { eventJourneys } from './journeys/events.ts'
import { impedimentJourneys } from './journeys/impediments.ts'
import { myWorkJourneys } from './journeys/my-work.ts'
import { otherScreensJourneys } from './journeys/other-screens.ts'
import { panelJourneys } from './journeys/panel.ts'
import { projectJourneys } from './journeys/projects.ts'
import { reportJourneys } from './journeys/reports.ts'
import { sessionJourneys } from './journeys/session.ts'
import { signInJourneys } from './journeys/sign-in.ts'
import { weekJourneys } from './journeys/week.ts'
import { widthJourneys } from './journeys/widths.ts'
import { findBrowser } from './support/find-browser.ts'
import { openStage, type Stage } from './support/stage.ts'

const skip =
  findBrowser() === undefined && 'No browser was found: install chromium, or set CHROMIUM to the path of one.'
if (skip) process.stdout.write(`The browser tests are skipped. ${skip}\n`)

describe('The web client in a real browser', { skip }, () => {
  let stage: Stage
  before(async () => {
    stage = await openStage()
  })
  afterEach(() => stage.closePages())
  after(() => stage?.stop())

  const suites = {
    'signing in and out': signInJourneys,
    'the session': sessionJourneys,
    'the projects': projectJourneys,
    'my work': myWorkJourneys,
    'the board': boardJourneys,
    'an assignment': panelJourneys,
    'what happened': eventJourneys,
    'the week': weekJourneys,
    impediments: impedimentJourneys,
    reports: reportJourneys,
    administration: administrationJourneys,
    'the own account': accountJourneys,
    'the other screens': otherScreensJourneys,
    'the connection': connectionJourneys,
    accessibility: accessibilityJourneys,
    'all screens': widthJourneys,
  }
  for (const [name, define] of Object.entries(suites)) describe(name, () => define(() => stage))

  test('asks nobody but its own hosts, keeps to its content policy, and throws nothing', () => {
    assert.deepEqual(stage.offences, [])
  })
})
