import { expect, test } from 'vitest';
import { quitQuestion } from './quit-question.rules.ts';

test('asks only while agents are running, and says how many', () => {
  expect(quitQuestion(0)).toBeNull();
  expect(quitQuestion(1)).toMatchObject({
    message: 'An agent is running',
    buttons: ['Stop it and quit', 'Cancel'],
  });
  expect(quitQuestion(2)).toMatchObject({
    message: '2 agents are running',
    buttons: ['Stop them and quit', 'Cancel'],
  });
});
