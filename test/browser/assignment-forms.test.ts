import { assignmentValueJourneys, paletteOptionJourneys } from './journeys/assignment-values.ts'
import { longPressJourneys } from './journeys/long-press.ts'
import { newAssignmentJourneys } from './journeys/new-assignment.ts'
import { phoneBoardJourneys } from './journeys/phone-board.ts'
import { quickTokenJourneys } from './journeys/quick-tokens.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

describeInBrowser('Assignments by forms', {
  'the dialog of a new assignment': newAssignmentJourneys,
  'keys that set a value': assignmentValueJourneys,
  'the options of the palette': paletteOptionJourneys,
  'tokens in the name of a new assignment': quickTokenJourneys,
  'the menu of cards on a touch screen': longPressJourneys,
  'small screens': phoneBoardJourneys,
})
