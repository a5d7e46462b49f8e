import { boardJourneys } from './journeys/board.ts'
import { connectionJourneys } from './journeys/connection.ts'
import { eventJourneys } from './journeys/events.ts'
import { impedimentJourneys } from './journeys/impediments.ts'
import { keyJourneys } from './journeys/keys.ts'
import { myWorkJourneys } from './journeys/my-work.ts'
import { panelJourneys } from './journeys/panel.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

describeInBrowser('Assignments', {
  'my work': myWorkJourneys,
  'the board': boardJourneys,
  'an assignment': panelJourneys,
  'what happened': eventJourneys,
  'keys alone': keyJourneys,
  impediments: impedimentJourneys,
  'the connection': connectionJourneys,
})
