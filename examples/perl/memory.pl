#!/usr/bin/perl
# A memory in Perl, without a module: a log that all processes append to, under a lock.
# JSON is cut into pieces and never decoded, so that every message comes back byte for byte.
use strict;
use warnings;
use Fcntl qw(:flock SEEK_SET);
use IO::Handle;

open my $log, '+>>', "$ENV{GOLDFISH_PATH}/memory.log" or die "memory.log: $!";
STDOUT->autoflush;

sub pieces {    # the items of an array, or the keys and values of an object, as JSON
    local $_ = shift;
    my @found;
    /\G\s*[\[{]/gc;
    while (/\G[\s,:]*(?![\s,:\]}])/gc) {
        my ($start, $depth) = (pos, 0);
        do {
            /\G[\s,:]*/gc if $depth;
            if    (/\G"/gc)     { 1 while /\G[^"\\]*+\\./gcs; /\G[^"\\]*+"/gc }
            elsif (/\G[\[{]/gc) { $depth++ }
            elsif (/\G[\]}]/gc) { $depth-- }
            else                { /\G[^\s,:\[\]{}"]+/gc or die "this is no JSON\n" }
        } while ($depth);
        push @found, substr $_, $start, pos() - $start;
    }
    return @found;
}

sub change {    # a line that a kill cut off lacks its end; the newline in front keeps it apart
    my $line = "\n" . join("\t", @_, 'end') . "\n";
    flock $log, LOCK_EX or die "flock: $!\n";
    my $done = (syswrite($log, $line) // 0) == length $line && $log->sync;
    flock $log, LOCK_UN;
    die "the log cannot be written: $!\n" unless $done;
}

sub history {    # the messages of a session, as all lines up to now make them
    my ($wanted, @messages, %known) = shift;
    flock $log, LOCK_SH or die "flock: $!\n";
    seek $log, 0, SEEK_SET;
    my @lines = <$log>;
    flock $log, LOCK_UN;
    die "memory.log is damaged\n" if grep { !/^(?:"|$)/ } @lines;
    for (grep { /^\Q$wanted\E\t.*\tend$/ } @lines) {
        my (undef, $verb, $batch) = split /\t/;
        (@messages, %known) = () if $verb eq 'clear';
        for ($verb eq 'add' ? pieces($batch) : ()) {
            my %message = pieces($_);
            push @messages, $_ unless $known{ $message{'"id"'} }++;
        }
    }
    return @messages;
}

my %serve = (
    initialize   => sub { '{"name": "perl", "methods": {"add_messages": ["session_id", "messages"],'
              . ' "get_history": ["session_id", "last"], "clear": ["session_id"]}}' },
    add_messages => sub { change($_[0]{'"session_id"'}, 'add', $_[0]{'"messages"'}); 'null' },
    clear        => sub { change($_[0]{'"session_id"'}, 'clear', ''); 'null' },
    get_history  => sub {
        my ($last, @found) = ($_[0]{'"last"'} // 'null', history($_[0]{'"session_id"'}));
        die "invalid: last must not be negative\n" if $last =~ /^-/;
        splice @found, 0, @found > $last ? @found - $last : 0 if $last ne 'null';
        return '[' . join(',', @found) . ']';
    },
    shutdown => sub { 'null' },
);

while (my $line = <STDIN>) {
    my %request = pieces($line);
    my $run     = $serve{ $request{'"method"'} =~ tr/"//dr };
    my %error   = (code => $run ? -32000 : -32601, message => 'there is no such method');
    $@ = '';
    my $result  = $run && eval { $run->({ pieces($request{'"params"'}) }) };
    @error{qw(code message)} = ($@ =~ s/^invalid: // ? -32602 : -32000, $@ =~ tr/"\\\n//dr) if $@;
    my $answer = defined $result ? qq("result": $result)
        : qq("error": {"code": $error{code}, "message": "$error{message}"});
    print qq({"jsonrpc": "2.0", "id": $request{'"id"'}, $answer}\n);
}
