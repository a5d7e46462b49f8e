import { assignmentValueJourneys, paletteOptionJourneys } from './journeys/assignment-values.ts'
import { longPressJourneys } from './journeys/long-press.ts'
import { newAssignmentJourneys } from './journeys/new-assignment.ts'
import { phoneBoardJourneys } from './journeys/phone-board.ts'
import { quickTokenJourneys } from './journeys/quick-tokens.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

describeInBrowser('In the forms for assignments', {
  'the dialog of a new assignment': newAssignmentJourneys,
  'keys that set values': assignmentValueJourneys,
  'the palette': paletteOptionJourneys,
  'tokens in the name of a new assignment': quickTokenJourneys,
  'the menu of cards on a touch screen': longPressJourneys,
  'on phones and desktops': phoneBoardJourneys,
})
