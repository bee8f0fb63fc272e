import type { ProblemType } from '../../problem-type.js';
import { chemotherapySchedule, MOST_CYCLES } from './chemotherapy-schedule.js';
import { fractionation, MOST_FRACTIONS } from './fractionation.js';
import { pkDosing } from './pk-dosing.js';
import { MOST_BEAMLETS, MOST_VOXELS, radiotherapyFluence } from './radiotherapy-fluence.js';
import { MOST_ACTIONS, MOST_STATES, treatmentPolicy } from './treatment-policy.js';

export const treatmentProtocol: ProblemType = {
  domain: 'healthcare',
  name: 'treatment_protocol',
  aliases: ['treatment_protocols'],
  title: 'Treatment protocols',
  summary:
    'Doses, intervals, fractions, beams and policies of a treatment that reach its targets within the limits of toxicity.',
  models: [pkDosing, fractionation, radiotherapyFluence, chemotherapySchedule, treatmentPolicy],
  limits: {
    fractions: MOST_FRACTIONS,
    beamlets: MOST_BEAMLETS,
    voxels: MOST_VOXELS,
    cycles: MOST_CYCLES,
    states: MOST_STATES,
    actions: MOST_ACTIONS,
  },
};
