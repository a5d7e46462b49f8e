import { attachmentJourneys } from './journeys/attachments.ts'
import { cardValueJourneys } from './journeys/card-values.ts'
import { eventJourneys } from './journeys/events.ts'
import { keyJourneys } from './journeys/keys.ts'
import { impedimentJourneys } from './journeys/my-work.ts'
import { paletteJourneys } from './journeys/palette.ts'
import { panelJourneys } from './journeys/panel.ts'
import { unplannedJourneys } from './journeys/unplanned.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

// Each group has its own hosts and project: a board with the cards of all groups would slow down each page.
describeInBrowser('In an open assignment', {
  attachments: attachmentJourneys,
  'an assignment': panelJourneys,
  'the history of changes': eventJourneys,
  impediments: impedimentJourneys,
})

describeInBrowser('With cards, keys and the palette', {
  'the values of a card': cardValueJourneys,
  'keyboard shortcuts': keyJourneys,
  'the palette': paletteJourneys,
  'unplanned assignments': unplannedJourneys,
})
