import { commentJourneys } from './journeys/comments.ts'
import { hostileTextJourneys } from './journeys/hostile-texts.ts'
import { timelineJourneys } from './journeys/timeline.ts'
import { timerJourneys } from './journeys/timer.ts'
import { viewJourneys } from './journeys/views.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

describeInBrowser('The views of a project', {
  'list and calendar': viewJourneys,
  'the timeline': timelineJourneys,
  'the timer': timerJourneys,
  comments: commentJourneys,
  'hostile texts': hostileTextJourneys,
})
