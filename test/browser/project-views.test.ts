import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { timerJourneys } from './journeys/timer.ts'
import { viewJourneys } from './journeys/views.ts'
import { findBrowser } from './support/find-browser.ts'
import { openStage, type Stage } from './support/stage.ts'

const skip = findBrowser() === undefined && 'No browser was found.'

describe('The views of a project, and the timer, in a real browser', { skip }, () => {
  let stage: Stage
  before(async () => {
    stage = await openStage()
  })
  afterEach(() => stage.closePages())
  after(() => stage?.stop())

  viewJourneys(() => stage)
  describe('the timer', () => timerJourneys(() => stage))

  test('asks nobody but its own hosts, keeps to its content policy, and throws nothing', () => {
    assert.deepEqual(stage.offences, [])
  })
})
