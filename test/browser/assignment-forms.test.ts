import { newAssignmentJourneys } from './journeys/new-assignment.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

describeInBrowser('Assignments by forms', {
  'the dialog of a new one': newAssignmentJourneys,
})
