import { assignmentValueJourneys } from './journeys/assignment-values.ts'
import { newAssignmentJourneys } from './journeys/new-assignment.ts'
import { phoneBoardJourneys } from './journeys/phone-board.ts'
import { quickTokenJourneys } from './journeys/quick-tokens.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

describeInBrowser('Assignments by forms', {
  'the dialog of a new one': newAssignmentJourneys,
  'keys that set a value, and the palette': assignmentValueJourneys,
  'names with tokens': quickTokenJourneys,
  'phones and outlines': phoneBoardJourneys,
})
