use proptest::prelude::*;

use super::*;

fn decode_all(bytes: &[u8]) -> Result<Vec<Frame>, FrameError> {
    let mut decoder = Decoder::default();
    decoder.feed(bytes);
    std::iter::from_fn(|| decoder.next_frame().transpose()).collect()
}

fn value() -> impl Strategy<Value = Value> {
    let number = "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,20})?(e[+-][0-9]{1,3})?";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number.prop_map(|text| Value::Number(text.parse().unwrap())),
        ".*".prop_map(Value::String),
        proptest::collection::vec(any::<u8>(), 0..40).prop_map(|b| Value::Bytes(b.into())),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            proptest::collection::vec((".{0,6}", inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_packed_comes_out_the_same(value in value()) {
        let packed = Bytes::from(pack(&value).unwrap());
        prop_assert_eq!(unpack(&packed).unwrap(), value);
    }

    #[test]
    fn bytes_from_anyone_give_an_error_and_nothing_else(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        let _ = decode_all(&bytes);
        let _ = unpack(&Bytes::from(bytes.clone()));
        let _ = unpack_json::<serde_json::Value>(&Bytes::from(bytes));
    }

    #[test]
    fn a_damaged_message_gives_an_error_or_another_message(
        value in value(), place in any::<prop::sample::Index>(), byte in any::<u8>(),
    ) {
        let mut packed = pack(&value).unwrap();
        let place = place.index(packed.len());
        packed[place] = byte;
        let _ = unpack(&Bytes::from(packed));
    }

    #[test]
    fn frames_survive_any_cutting_of_the_stream(
        payloads in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..200), 1..6),
        cut in 1_usize..50,
    ) {
        let mut stream = Vec::new();
        for (number, payload) in (0_u32..).zip(&payloads) {
            for frame in frames(Kind::Call, number, payload) {
                stream.extend_from_slice(&frame);
            }
        }
        let mut decoder = Decoder::default();
        let mut found = Vec::new();
        for part in stream.chunks(cut) {
            decoder.feed(part);
            while let Some(frame) = decoder.next_frame().unwrap() {
                found.push(frame.chunk.to_vec());
            }
        }
        prop_assert_eq!(found, payloads);
    }
}

#[test]
fn a_long_message_is_cut_into_chunks_and_joined_while_another_passes() {
    let long: Vec<u8> = (0..CHUNK * 2 + 5)
        .map(|index| u8::try_from(index % 251).unwrap())
        .collect();
    let mut stream: Vec<Bytes> = frames(Kind::Answer, 7, &long).collect();
    assert_eq!(stream.len(), 3);
    stream.insert(1, frames(Kind::Answer, 8, b"short").next().unwrap());
    let mut assembler = Assembler::new(4 * CHUNK);
    let mut whole = Vec::new();
    for frame in decode_all(&stream.concat()).unwrap() {
        let number = frame.message;
        if let Assembled::Whole(message) = assembler.add(frame).unwrap() {
            whole.push((number, message));
        }
    }
    assert_eq!(
        whole,
        vec![(8, Bytes::from_static(b"short")), (7, Bytes::from(long))]
    );
}

#[test]
fn an_empty_message_is_one_frame() {
    let stream: Vec<Bytes> = frames(Kind::Call, 1, b"").collect();
    assert_eq!(stream.len(), 1);
    assert!(decode_all(&stream[0]).unwrap()[0].last);
}

#[test]
fn a_length_beyond_the_chunk_is_refused_before_it_is_waited_for() {
    let mut header = Vec::new();
    header.extend_from_slice(&0xFFFF_FFFF_u32.to_be_bytes());
    header.extend_from_slice(&[VERSION, Kind::Call as u8, LAST, 0, 0, 0, 1]);
    assert_eq!(
        decode_all(&header),
        Err(FrameError::Length { found: 0xFFFF_FFFF })
    );
}

#[test]
fn another_version_and_an_unknown_flag_are_refused() {
    let frame = frames(Kind::Call, 1, b"x").next().unwrap();
    let damaged = |index: usize, byte: u8| {
        let mut frame = frame.to_vec();
        frame[index] = byte;
        decode_all(&frame)
    };
    assert_eq!(damaged(4, 2), Err(FrameError::Version { found: 2 }));
    assert_eq!(damaged(5, 99), Err(FrameError::Kind { kind: 99, flags: 1 }));
    assert_eq!(damaged(6, 3), Err(FrameError::Kind { kind: 3, flags: 3 }));
}

#[test]
fn unfinished_messages_cannot_fill_the_memory() {
    let mut assembler = Assembler::new(10_000);
    let unfinished = |number| Frame {
        kind: Kind::Call,
        last: false,
        message: number,
        chunk: Bytes::new(),
    };
    let error = (0..1000).find_map(|number| assembler.add(unfinished(number)).err());
    assert_eq!(error, Some(FrameError::Budget { limit: 10_000 }));
}

#[test]
fn a_call_larger_than_allowed_is_not_kept_and_ends_no_stream() {
    let frame = |kind, last, message, size: usize| Frame {
        kind,
        last,
        message,
        chunk: Bytes::from(vec![7; size]),
    };
    let mut assembler = Assembler::new(1000).with_most(Kind::Call, 100);
    for message in 0..50 {
        // 50 times 240 bytes would not fit if any of it were kept.
        for _ in 0..3 {
            let added = assembler.add(frame(Kind::Call, false, message, 80));
            assert_eq!(added, Ok(Assembled::Unfinished));
        }
        let added = assembler.add(frame(Kind::Call, true, message, 0));
        assert_eq!(added, Ok(Assembled::TooLarge));
    }
    let whole = |added: Result<Assembled, FrameError>| match added {
        Ok(Assembled::Whole(bytes)) => bytes.len(),
        other => panic!("{other:?}"),
    };
    let added = assembler.add(frame(Kind::Call, true, 50, 101));
    assert_eq!(added, Ok(Assembled::TooLarge));
    assert_eq!(whole(assembler.add(frame(Kind::Call, true, 51, 100))), 100);
    assert_eq!(whole(assembler.add(frame(Kind::Result, true, 0, 500))), 500);
    assembler.add(frame(Kind::Call, false, 52, 60)).unwrap();
    assert_eq!(whole(assembler.add(frame(Kind::Call, true, 52, 40))), 100);
}

#[test]
fn a_text_that_looks_like_bytes_stays_a_text() {
    let value = Value::Object(
        [(
            "bytes".to_owned(),
            Value::String("\u{0}base64:AAAA".to_owned()),
        )]
        .into_iter()
        .collect(),
    );
    let packed = Bytes::from(pack(&value).unwrap());
    assert_eq!(unpack(&packed).unwrap(), value);
}

#[test]
fn byte_strings_go_only_where_the_message_left_a_place() {
    let message = |head: &str, segments: &[u8]| {
        let mut packed = u32::try_from(head.len()).unwrap().to_be_bytes().to_vec();
        packed.extend_from_slice(head.as_bytes());
        packed.extend_from_slice(segments);
        unpack(&Bytes::from(packed))
    };
    for (head, segments) in [
        (
            r#"{"message":{"a":1},"bytes":[[["a"],1]]}"#,
            b"x".as_slice(),
        ),
        (r#"{"message":{"a":null},"bytes":[[["b"],1]]}"#, b"x"),
        (r#"{"message":{"a":null},"bytes":[[["a"],2]]}"#, b"x"),
        (r#"{"message":{"a":null},"bytes":[[["a"],1]]}"#, b"xy"),
        (
            r#"{"message":{"a":null},"bytes":[[["a"],1],[["a"],1]]}"#,
            b"xy",
        ),
        (r#"{"message":[null],"bytes":[[[-1],1]]}"#, b"x"),
        (r#"{"message":[null],"bytes":[],"more":1}"#, b""),
    ] {
        assert!(message(head, segments).is_err(), "{head}");
    }
    let fine = message(r#"{"message":[null],"bytes":[[[0],1]]}"#, b"x").unwrap();
    assert_eq!(
        fine,
        Value::Array(vec![Value::Bytes(Bytes::from_static(b"x"))])
    );
}

/// Two bytes of a call's JSON made a hundred of the host's memory.
#[test]
fn a_message_of_millions_of_values_is_refused_before_it_fills_the_memory() {
    let many = "0,".repeat(1_000_001);
    for head in [
        format!(r#"{{"message":[{many}0],"bytes":[]}}"#),
        format!(r#"{{"message":[],"bytes":[[[{many}0],0]]}}"#),
    ] {
        let mut packed = u32::try_from(head.len()).unwrap().to_be_bytes().to_vec();
        packed.extend_from_slice(head.as_bytes());
        assert_eq!(unpack(&Bytes::from(packed)), Err(FrameError::TooMany));
    }
}

#[test]
fn an_object_with_a_key_of_the_json_parsers_own_stays_an_object() {
    let text = r#"{"$serde_json::private::Number":"5"}"#;
    let head = format!(r#"{{"message":{text},"bytes":[]}}"#);
    let mut packed = u32::try_from(head.len()).unwrap().to_be_bytes().to_vec();
    packed.extend_from_slice(head.as_bytes());
    let value = unpack(&Bytes::from(packed)).unwrap();
    assert_eq!(value.clone().into_json().to_string(), text);
    assert_eq!(unpack(&Bytes::from(pack(&value).unwrap())).unwrap(), value);
}

#[test]
fn a_value_nested_too_deeply_is_an_error() {
    let deep = (0..400).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
    assert_eq!(pack(&deep), Err(FrameError::Depth));
}
