import { assignmentValueJourneys } from './journeys/assignment-values.ts'
import { newAssignmentJourneys } from './journeys/new-assignment.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

describeInBrowser('Assignments by forms', {
  'the dialog of a new one': newAssignmentJourneys,
  'keys that set a value, and the palette': assignmentValueJourneys,
})
