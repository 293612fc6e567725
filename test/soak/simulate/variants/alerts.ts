import { doubling, losing } from './breakages.ts';
import { none, type Variants } from './variant.ts';

const once = 'one group of alerts is one offer or incident, whatever arrives how often; its end is told once';

const burns = 'what burns is said where alerts are read within two notices, whatever became of its incident';

/** What monitoring sends is heard wrongly, or told wrongly. */
export const alertVariants: Variants = {
  'groups of alerts are forgotten': {
    breaks: once,
    troubles: { ...none, alerts: 1 },
    seeds: 12,
    variant: { statement: losing(/^insert into "bot_alert" /, 1) },
  },
  'an alert in three is acknowledged and lost': {
    breaks: once,
    troubles: { ...none, alerts: 1 },
    seeds: 12,
    variant: { statement: losing(/^insert into "bot_alert" /, 3) },
  },
  'offers of alerts are posted twice': {
    breaks: once,
    troubles: { ...none, alerts: 1 },
    seeds: 12,
    variant: { effects: doubling(/Mute 1 h/) },
  },
  'the end of an alert is told twice': {
    breaks: once,
    troubles: { ...none, alerts: 1 },
    seeds: 12,
    variant: { effects: doubling(/The alerts? ended/) },
  },
  'the end of an alert is told to nobody': {
    breaks: once,
    troubles: { ...none, alerts: 1 },
    seeds: 12,
    variant: { statement: losing(/^insert into "bot_line"/, 1) },
  },
  'nobody looks whether the incident of an alert is over': {
    breaks: burns,
    troubles: { ...none, alerts: 1, aftermath: 1 },
    seeds: 20,
    variant: { statement: losing(/^select "known"."incident_id"/, 1) },
  },
  'every other offer of alerts is lost': {
    breaks: burns,
    troubles: { ...none, alerts: 1, aftermath: 1 },
    seeds: 20,
    variant: { statement: losing(/^insert into "bot_alert_offer"/, 2) },
  },
};
