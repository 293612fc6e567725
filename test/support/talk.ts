/** Sentences as people talk about a bot and to it. None of them is a command. */
export const talk: readonly string[] = `
title is wrong, can somebody fix it?
title looks odd to me
the title is wrong
titles are hard
update is needed
update please
update?
any update?
updates anyone?
update when?
can we get an update?
could you post an update?
update is late again
updates would be nice
status?
status is unclear
what is the status?
what's the status?
do we know the status of checkout?
is the status page right?
severity is wrong
severity should be lower
severity seems too high to me
severity went down, right?
should severity be major?
why is this critical?
is this still major?
can somebody lower the severity?
resolve if nothing comes back
resolve when the deploy is done
resolve this please?
should we resolve?
shall we resolve this?
can we resolve it?
could somebody resolve this?
resolved yesterday, I think
resolved itself somehow
resolves itself every time
is it resolved?
was this resolved?
closed the ticket with the vendor
close one!?
closing this soon?
close when bob is back
did anybody close it?
end is near, maybe
ended too early if you ask me
reopen if it comes back
reopened the ticket at the vendor
should we reopen?
can you reopen it?
reopen when it fails again
drill is over, thanks
is this a drill?
drill or real?
drills are boring, are they not?
note taken
note taken!
noted
noted, thanks
notes?
where are the notes?
note to self
did you take notes?
task is done
task was done by bob
tasks?
tasks are piling up
which tasks are open?
whose task is this?
task?
todo?
who has the todo list?
role is taken
roles?
who is commander?
who is the commander?
who leads?
who leads this?
commander is asleep
commander is away, who takes over?
commander?
lead is bob, right?
leads are cold
is bob the lead?
can bob take command?
could alice take over?
take a break
take it easy
takes forever
assign it to somebody
assigned to whom?
assign who?
dash looks weird
dash is empty
dashboard?
dashboards are slow today
which dashboard is it?
dash link is dead
label is missing
labels?
label looks wrong
labels would help
can somebody label this?
list is too long
list?
help is on the way
help?
help me understand this?
thanks
thanks!
thank you
thank you very much
good bot
bad bot
nice
nice work everybody
good morning
good night
hello
hi
hey
hey there
hi, are you there?
are you alive?
are you a robot?
are you there?
you there?
who are you?
what are you?
what can you do?
what do you do?
how do you work?
how does this work?
how are you?
how bad is it?
how long will it take?
how many people are affected?
is this fixed?
is it down?
is it down for everyone?
is anybody on this?
is anyone there?
is there an incident?
are there other incidents?
any incidents?
any news?
anything new?
anyone?
anybody awake?
what happened?
what is going on?
what's up?
why?
why did it break?
why are you asking me?
when did it start?
when will it be back?
when is it over?
where are we?
where is everybody?
which channel?
so what?
lol
haha
ok
okay
okay then
cool
great
great job
wow
sorry
sorry, wrong channel
never mind
nevermind
forget it
stop
stop it
stop that please
wait
wait what?
hold on
one moment
not now
not yet
no
nope
yes
yep
sure
maybe
maybe later
we are looking into it
we think it is the cache
I think it is the network
I'm on it
on it
looking
looking now
back in five minutes
brb
lunch?
coffee?
it works again
it works on my machine
it is down again
that was quick
that's not right
this is fine
this is wrong
does anybody read this?
do not resolve this yet
don't close it yet
please don't resolve
please wait
please somebody look
can you help?
can you hear me?
can somebody explain?
could be DNS
could be the deploy
might be the cache
must be the network
should be fine now
would be great to know
will do
won't fix
started to rain here
started when we deployed
started yesterday, did it not?
`
  .split('\n')
  .filter(line => line !== '');
