import { commentJourneys } from './journeys/comments.ts'
import { timerJourneys } from './journeys/timer.ts'
import { viewJourneys } from './journeys/views.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

describeInBrowser('The views of a project', {
  'list, calendar and timeline': viewJourneys,
  'the timer': timerJourneys,
  comments: commentJourneys,
})
