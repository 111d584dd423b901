//! Reads values from words: days, times, spans, repetitions and priorities, and [`when`] a clause has all of them.
//!
//! What belongs here turns words into values of the calendar. It knows neither records nor commands.

pub(super) mod clock;
pub(super) mod dates;
pub(super) mod day_arithmetic;
pub(super) mod durations;
pub(super) mod exceptions;
mod holidays;
mod periods;
pub(super) mod priorities;
pub(super) mod repeats;
pub(super) mod several_days;
pub(super) mod shift;
pub(super) mod spans;
pub(super) mod times;
pub(super) mod when;
mod zones;
